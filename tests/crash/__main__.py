"""`python -m crash --kills N`: what `make crash N=…` runs."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from crash.kills import crash


def main():
    parser = argparse.ArgumentParser(prog="crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="repeat the moments of an earlier run")
    given = parser.parse_args()
    seed = int(time.time()) if given.seed is None else given.seed
    with tempfile.TemporaryDirectory(prefix="bayplan-crash-") as folder:
        wrong, answered = crash(Path(folder), given.kills, seed, tell=lambda line: print(line, flush=True))
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    print(f"{given.kills} kills, {answered} answered writes, {len(wrong)} wrong (seed {seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
