"""How much of the processor a live session may use while others want it too.

Every session has a stock of seconds, which what it does is taken from: messages, rendering and recognising
alike. The stock fills up while the session has nothing for the server to do, as between two strokes of a
person. A session that wants something without end gets next to nothing back. When it owes time and others are
about, it waits. So whoever floods the server is soon down to a hundredth of a thread, and others seldom
have to wait for what it has begun. A session that is alone waits for nobody.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

STOCK = 2.0  # seconds of the processor: strokes of some minutes, or a long page sent at once
RESTING_RATE = 0.25  # seconds that come back in a second in which it wants nothing
WANTING_RATE = 0.01  # and in one in which it does
ABOUT_SECONDS = 5.0  # for which somebody who asked is taken to be about
_LOOK_AGAIN = 0.25  # seconds after which who waits looks whether the others have left


class Share:
    """The stock of one session; spent on any thread, the rest is for the event loop."""

    def __init__(self) -> None:
        self._left, self._seen = STOCK, monotonic()
        self._wants = 0
        self._lock = threading.Lock()

    def spend(self, amount: float) -> None:
        """Use up so many seconds."""
        with self._lock:
            self._fill()
            self._left -= amount

    @contextmanager
    def wanting(self) -> Iterator[None]:
        """As long as this lasts, the session has something for the server to do."""
        with self._lock:
            self._fill()
            self._wants += 1
        try:
            yield
        finally:
            with self._lock:
                self._fill()
                self._wants -= 1

    @property
    def ample(self) -> bool:
        """Whether it is far from owing anything."""
        with self._lock:
            self._fill()
            return self._left > STOCK / 10

    @property
    def owed_seconds(self) -> float:
        """Seconds until it owes nothing, if it wants something all the time."""
        with self._lock:
            self._fill()
            return max(0.0, -self._left / WANTING_RATE)

    def _fill(self) -> None:
        now = monotonic()
        rate = WANTING_RATE if self._wants else RESTING_RATE
        self._left = min(STOCK, self._left + (now - self._seen) * rate)
        self._seen = now


class Crowd:
    """Who has asked for something lately; used from the event loop."""

    def __init__(self) -> None:
        # The two who asked last, and when: if one of them is the session in question, there is the other.
        self._last: tuple[Share | None, float] = None, float("-inf")
        self._before: tuple[Share | None, float] = self._last

    def saw(self, who: Share | None) -> None:
        """A session has asked; None: somebody else, of whom nothing is known."""
        if who is None or self._last[0] is not who:
            self._before = self._last
        self._last = who, monotonic()

    def others_about(self, share: Share) -> bool:
        """Whether anybody but this session has asked lately."""
        _, asked = self._before if self._last[0] is share else self._last
        return monotonic() - asked < ABOUT_SECONDS

    async def let_others_first(self, share: Share, at_most: float = float("inf")) -> None:
        """Wait as long as the session owes time and others are about, at least for one turn of the loop."""
        end = monotonic() + at_most
        pause = 0.0
        while True:
            await asyncio.sleep(pause)
            owed = share.owed_seconds
            pause = min(owed, _LOOK_AGAIN, end - monotonic())
            if pause <= 0.0 or not self.others_about(share):
                return
