"""`python -m crash --kills N`: what `make crash N=…` runs: half of the kills hit a store, half a running system."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from crash.kills import crash
from crash.system_kills import SystemKills

TARGETS = ("both", "store", "system")


def main():
    parser = argparse.ArgumentParser(prog="crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="repeat the choices of an earlier run")
    parser.add_argument("--target", choices=TARGETS, default="both", help="what is killed")
    given = parser.parse_args()
    seed = int(time.time()) if given.seed is None else given.seed
    store = {"both": given.kills // 2, "store": given.kills, "system": 0}[given.target]
    with tempfile.TemporaryDirectory(prefix="bayplan-crash-") as folder:
        wrong, answered = crash(Path(folder), store, seed, tell=tell)
        system = SystemKills(Path(folder), seed, tell=tell)
        system.run(given.kills - store)
    for line in (*wrong, *system.wrong):
        print(f"error: {line}", file=sys.stderr)
    found = len(wrong) + len(system.wrong)
    print(f"{given.kills} kills, {answered + system.accepted} answered writes, {found} wrong (seed {seed})")
    return 1 if found else 0


def tell(line):
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
