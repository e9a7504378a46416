"""Walks a table through random steps and compares three meanings of a profile after each: folded, plain, oracle."""

import numpy as np

from bayplan.framework.cycle import Cycle
from bayplan.framework.evaluation.definition import define
from properties import oracle
from properties.oracle import World
from properties.worlds import STATE, STATIC, Ask, column_of, scheduler_of, table_of


def walk(plan, world, budget_bytes, journey, compiler=None):
    """Make every step, and compare after each with the step's ask and with one that is asked all the time."""
    world = World([dict(row) for row in world.rows], dict(world.shared))
    table = table_of(world)
    scheduler = scheduler_of(plan, table, budget_bytes=budget_bytes, compiler=compiler)
    same(scheduler, table, plan, world, Ask(), 0.0)
    for step, ask, now in journey:
        take_step(scheduler, table, plan, world, step, ask, now)
        for each in (ask, Ask()):
            same(scheduler, table, plan, world, each, now)


def same(scheduler, table, plan, world, ask, now):
    """Folded through the scheduler = plain definition = oracle, bit for bit."""
    wanted = oracle.totals(plan, world, ask, now)
    evaluator = scheduler.evaluator("p", table)
    plain = define(evaluator.binding, table, ask, Cycle("s", ask, now=now))
    folded = evaluator.totals(ask, Cycle("s", ask, now=now)).levels
    for name, levels in (("plain", plain), ("folded", folded)):
        assert len(levels) == len(wanted)
        for level, numbers in zip(levels, wanted, strict=True):
            assert bits(level) == bits(numbers), f"{name} differs from the oracle: {list(level)}, not {numbers}"
    picked(scheduler.schedule("s", ask, table=table, now=now), wanted)


def picked(outcome, wanted):
    """The pick is the oracle's, and the parts of its score add up to its sums."""
    row = oracle.best(wanted)
    assert [pick.row for pick in outcome.picked] == ([] if row is None else [row])
    for pick in outcome.picked:
        assert bits(pick.levels) == bits([level[row] for level in wanted])
        assert bits(added_up(pick.terms, len(wanted))) == bits(pick.levels)


def added_up(terms, levels):
    sums = [0.0] * levels
    for term in terms:
        sums[term.level] += term.contribution
    return sums


def bits(numbers):
    return np.array(numbers, np.float64).view(np.int64).tolist()


def take_step(scheduler, table, plan, world, step, ask, now):
    kind, *what = step
    size = len(world.rows)
    if kind == "refresh":
        table.refresh(**what[0])
        world.shared.update(what[0])
    elif kind == "add":
        table.add([f"more-{table.version}-{n}" for n in range(len(what[0]))], columns_of(what[0]))
        world.rows.extend(dict(row) for row in what[0])
    elif not size:
        return
    elif kind == "write":
        table.write(what[0] % size, what[1])
        world.rows[what[0] % size].update(what[1])
    elif kind == "write-many":
        index = sorted({place % size for place in what[0]})
        table.write_many(np.array(index), {what[1]: [what[2]] * len(index)})
        for row in index:
            world.rows[row][what[1]] = what[2]
    elif kind == "remove":
        index = sorted({place % size for place in what[0]})
        table.remove(np.array(index))
        for row in reversed(index):
            del world.rows[row]
    elif kind == "swap":
        table.remove(np.array([what[0] % size]))
        table.add([f"swapped-{table.version}"], columns_of([what[1]]))
        del world.rows[what[0] % size]
        world.rows.append(dict(what[1]))
    elif kind == "fork":
        look_at_forks(scheduler, table, plan, world, what[0], ask, now)
    elif kind == "judge":
        look_at_hypotheses(scheduler, table, plan, world, what[0], ask, now)


def look_at_forks(scheduler, table, plan, world, nested, ask, now):
    """Each fork is made of the one before; what is written in one is seen there, and nowhere further out."""
    if not nested:
        return
    fork = table.fork()
    there = World([dict(row) for row in world.rows], world.shared)
    same(scheduler, fork, plan, there, ask, now)
    for place, values in nested[0]:
        fork.write(place % len(there.rows), values)
        there.rows[place % len(there.rows)].update(values)
        same(scheduler, fork, plan, there, ask, now)
    look_at_forks(scheduler, fork, plan, there, nested[1:], ask, now)
    same(scheduler, fork, plan, there, ask, now)
    same(scheduler, table, plan, world, ask, now)


def look_at_hypotheses(scheduler, table, plan, world, writes, ask, now):
    """Rows judged as if they were written get the sums that they would have, if nothing looks at other rows."""
    evaluator = scheduler.evaluator("p", table).active(ask, Cycle("s", ask, now=now))
    if evaluator.binding.late:
        return
    size = len(world.rows)
    rows = [{**world.rows[place % size], **values} for place, values in writes]
    wanted = oracle.totals(plan, World(rows, world.shared), ask, now)
    index = np.array([place % size for place, _ in writes])
    levels = evaluator.judge(ask, index, {name: column_of(rows, name) for name in STATE})
    for level, numbers in zip(levels, wanted, strict=True):
        assert bits(level) == bits(numbers)


def columns_of(rows):
    return {name: column_of(rows, name) for name in (*STATIC, *STATE)}
