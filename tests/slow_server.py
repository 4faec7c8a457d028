"""`inktex serve`, but every recognition takes so many seconds: so that signals come while it answers.

    SECONDS=2 python tests/slow_server.py [options of inktex serve]
    GO_ON=some/file python tests/slow_server.py [...]       # it takes until there is such a file
    HEADER_SECONDS=3 python tests/slow_server.py [...]      # how long it waits for a first request

Worker processes import this file too, and so are as slow.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

import inktex.server.app
from inktex.recognizer import Recognizer
from inktex.server import protocols

SECONDS = float(os.environ.get("SECONDS", "0"))
GO_ON = Path(os.environ.get("GO_ON", os.devnull))
protocols.HEADER_SECONDS = float(os.environ.get("HEADER_SECONDS", protocols.HEADER_SECONDS))


class Slow(Recognizer):
    """Takes its time, except when it warms up."""

    warm = False

    def recognize(self, *inks: Any, **options: Any) -> Any:
        if self.warm:
            time.sleep(SECONDS)
            while not GO_ON.exists():
                time.sleep(0.02)
        self.warm = True
        return super().recognize(*inks, **options)


inktex.server.app.Recognizer = Slow  # type: ignore[attr-defined]

if __name__ == "__main__":
    from inktex.cli import main
    from inktex.server import running

    running.Recognizer = Slow  # type: ignore[attr-defined]
    sys.argv[1:1] = ["serve", "--port", "0", "--no-open"]
    main()
