"""Berths for ships: Bayplan's framework with a filter, a scorer, a picker, a handler and two profiles of its own."""

from collections import namedtuple

from bayplan.framework import outcome, plugins, profile, reasons, scheduler, table

Ship = namedtuple("Ship", "length_m draught_m")


class DeepEnough:
    """Refuses a berth in which the ship would touch ground; a metre of water must stay under the keel."""

    name, reads = "deep-enough", ("depth_m",)

    def mask(self, ship, berths, cycle):
        return berths.depth_m >= ship.draught_m + 1

    def explain(self, ship, berths, cycle):
        return reasons.Reasons("too-shallow", unit="m", needed=ship.draught_m + 1, free=berths.depth_m)


class Snug:
    """Scores how much of the quay the ship uses: 1.0 when it fits to the metre, 0.0 when it is too long."""

    name, reads = "snug", ("free_m",)

    def score(self, ship, berths, cycle):
        return (ship.length_m <= berths.free_m) * ship.length_m / berths.free_m


class Nearest:
    """Picks the berths nearest to the harbour's mouth among those that score at least half of the best."""

    name = "nearest"

    def pick(self, totals, want, cycle):
        half = totals.total(totals.best())[-1] / 2
        return [row for row in totals.survivors() if totals.total(row)[-1] >= half][: want.desired]


class HighWaterNext:
    """Runs `now`; where no berth would do, runs `high-water` for a ship that needs three metres less."""

    name = "high-water-next"

    def pick_profiles(self, cycle, profiles, results):
        later = plugins.Run("high-water", ask=cycle.ask._replace(draught_m=cycle.ask.draught_m - 3))
        return [later] if list(results) == ["now"] and not results["now"].ok else [plugins.Run("now")][len(results) :]

    def process_results(self, cycle, results):
        return outcome.Decision(list(results)[-1])


if __name__ == "__main__":
    quay = table.Table(static={"depth_m": [9, 14, 16]}, state={"free_m": [180, 300, 400]}, keys=["In", "Mid", "Out"])
    now = profile.Profile("now", Nearest(), [DeepEnough()], [Snug()])
    harbour = scheduler.Scheduler([now, profile.Profile("high-water", Nearest(), [DeepEnough()])], HighWaterNext())
    for name, ship in {"Heron": Ship(120, 6), "Orca": Ship(290, 12), "Titan": Ship(399, 17)}.items():
        for run in harbour.schedule(name, ship, table=quay, explained=True).results.values():
            print(name, run.name, [pick.key for pick in run.picked], run.explanation.counts())
