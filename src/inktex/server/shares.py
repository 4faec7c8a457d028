"""How much of the processor a live session may use while others want it too.

Every session has a stock of seconds, which what it does is taken from: messages, rendering and recognising
alike. The stock fills up while the session waits for its client, as between two strokes of a person. While
messages of the client wait to be taken, next to nothing comes back. When a session owes time and others are
about, it waits. So whoever sends without end is soon down to a few thousandths of a thread, and others seldom
have to wait for what it has begun. A session that is alone waits for nobody.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

STOCK = 0.25  # seconds of the processor: a dozen strokes at once
MOST_OWED = 0.25  # who was alone for long is not made to pay for it when others come
RESTING_RATE = 0.1  # seconds that come back in one of waiting for the client; a writer needs half of that
FLOODED_RATE = 0.005  # and in one in which its messages wait
ABOUT_SECONDS = 5.0  # for which somebody who asked is taken to be about
_LOOK_AGAIN = 0.25  # seconds after which who waits looks whether the others have left


class Share:
    """The stock of one session; spent on any thread, the rest is for the event loop."""

    def __init__(self) -> None:
        self._left, self._seen = STOCK, monotonic()
        self._floods = 0
        self._lock = threading.Lock()

    def spend(self, amount: float) -> None:
        self._filled(spent=amount)

    @contextmanager
    def flooded(self) -> Iterator[None]:
        """As long as this lasts, messages of the client may wait to be taken."""
        self._filled(floods=1)
        try:
            yield
        finally:
            self._filled(floods=-1)

    @property
    def ample(self) -> bool:
        """Whether it is far from owing anything."""
        return self._filled() > STOCK / 10

    @property
    def owed_seconds(self) -> float:
        """Seconds until it owes nothing, at the rate of now."""
        return max(0.0, -self._filled() / self._rate)

    def _filled(self, spent: float = 0.0, floods: int = 0) -> float:
        """What is left, with what has come back until now, after something was spent or a flood changed."""
        with self._lock:
            now = monotonic()
            filled = min(STOCK, self._left + (now - self._seen) * self._rate)
            self._left, self._seen = max(-MOST_OWED, filled - spent), now
            self._floods += floods
            return self._left

    @property
    def _rate(self) -> float:
        return FLOODED_RATE if self._floods else RESTING_RATE


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
