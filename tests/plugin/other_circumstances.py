"""`mkdocs` by another clock, when run: the first argument is by how many seconds it is ahead of this machine's."""

from __future__ import annotations

import datetime
import sys
import time

AHEAD = float(sys.argv[1])
_time = time.time


class Ahead(datetime.datetime):
    """The dates of that clock."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> Ahead:
        return cls.fromtimestamp(_time() + AHEAD, tz)


if __name__ == "__main__":
    vars(datetime)["datetime"] = Ahead
    vars(time)["time"] = lambda: _time() + AHEAD

    from mkdocs.__main__ import cli

    from atlas.render import gathering

    vars(gathering)["WORTHWHILE"] = 1  # where there are several cores, all of them make collections

    sys.exit(cli(sys.argv[2:]))
