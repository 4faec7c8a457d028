"""`inktex serve`, but every recognition takes so many seconds: so that signals come while it answers.

    SECONDS=2 python tests/slow_server.py [options of inktex serve]

Worker processes import this file too, and so are as slow.
"""

import os
import sys
import time
from typing import Any

import inktex.server.app
from inktex.recognizer import Recognizer

SECONDS = float(os.environ["SECONDS"])


class Slow(Recognizer):
    """Takes its time, except when it warms up."""

    warm = False

    def recognize(self, *inks: Any, **options: Any) -> Any:
        if self.warm:
            time.sleep(SECONDS)
        self.warm = True
        return super().recognize(*inks, **options)


inktex.server.app.Recognizer = Slow  # type: ignore[attr-defined]

if __name__ == "__main__":
    from inktex.cli import main
    from inktex.server import running

    running.Recognizer = Slow  # type: ignore[attr-defined]
    sys.argv[1:1] = ["serve", "--port", "0", "--no-open"]
    main()
