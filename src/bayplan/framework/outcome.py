"""What a cycle answers: picks with their parts, refusals with their numbers, run by run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from bayplan.framework.evaluation.contributions import contributions
from bayplan.framework.plugins import ONE

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from bayplan.framework.evaluation.binding import Binding
    from bayplan.framework.evaluation.contributions import Seen
    from bayplan.framework.evaluation.explanation import Explanation, Term
    from bayplan.framework.plugins import Resolution, Want
    from bayplan.framework.table import AnyTable

Status: TypeAlias = Literal["picked", "nothing-fits", "too-few"]


_SHOWN = 3  # picks and codes that a line has room for
_LONGEST = 60  # characters of a subject in a line: two names and a namespace, say


class Pick(NamedTuple):
    """One picked row, its sums, what it takes to make its contributions again, and what it means."""

    row: int
    key: str
    levels: tuple[float, ...]
    seen: Seen
    resolution: Resolution | None = None

    def __repr__(self) -> str:
        return f"Pick(row={self.row}, key={self.key!r}, levels={self.levels}, resolution={self.resolution!r})"

    @property
    def total(self) -> float:
        """The sum of the last level, which is what documents call the score."""
        return self.levels[-1]

    @property
    def terms(self) -> tuple[Term, ...]:
        """Each scorer's part, in the order of addition; for many picks, `contributions` gives all at once."""
        return contributions((self.seen,))[0]


class RunResult:
    """One run of a profile. A failed one is there too, so that a handler can tell failed from not run."""

    __slots__ = (
        "ask", "before", "binding", "clamped", "explanation", "name", "picked", "skipped", "source", "status", "table",
        "version", "want",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        binding: Binding,
        ask: Hashable,
        table: AnyTable,
        before: Mapping[str, RunResult],
        source: str | None = None,
        want: Want = ONE,
    ) -> None:
        """`source`: where its candidates come from; None: they are the rows of the cycle's own table."""
        self.name = name
        self.want = want
        self.source = source
        self.binding = binding
        self.ask = ask
        self.table = table
        self.version = table.version
        self.status: Status = "nothing-fits"
        self.picked: tuple[Pick, ...] = ()
        self.before = before  # the results that its plugins saw
        self.skipped: Mapping[str, str] = {}
        self.clamped: Mapping[str, int] = {}
        """The scorers that left their scale, and on how many rows that was seen when they were asked about them."""
        self.explanation: Explanation | None = None

    def __repr__(self) -> str:
        return f"<RunResult {self}>"

    def __str__(self) -> str:
        """One line: what was picked, or what stood in the way."""
        parts = [f"{self.name}: {_picked(self.picked)}" if self.ok else f"{self.name}: {self._refused()}"]
        if self.clamped:
            parts.append(f"left their scale: {', '.join(self.clamped)}")
        if self.skipped:
            parts.append(f"broken and left out: {', '.join(self.skipped)}")
        return "; ".join(parts)

    def _refused(self) -> str:
        status = self.status.replace("-", " ")
        if self.explanation is None:
            return status
        counts = sorted(self.explanation.counts().items(), key=lambda each: -each[1])
        codes = ", ".join(f"{code} {count}" for code, count in counts[:_SHOWN])
        passed = f"{len(self.explanation.survivors)} of {len(self.explanation.keys)} rows passed"
        return f"{status}, {passed}" + (f" (refused: {codes})" if codes else "")

    @property
    def profile(self) -> str:
        return self.binding.profile.name

    @property
    def inactive(self) -> tuple[str, ...]:
        """The plugins that skipped this run by their own choice; broken ones that were left out are in `skipped`."""
        return tuple(name for name in self.binding.inactive if name not in self.skipped)

    @property
    def ok(self) -> bool:
        return self.status == "picked"

    def record(self) -> dict[str, Any]:
        """What is always recorded of a run, as plain data."""
        return {
            "run": self.name,
            "profile": self.profile,
            "ask": repr(self.ask),
            "version": self.version,
            "status": self.status,
            "picked": [
                {
                    "row": pick.row,
                    "key": pick.key,
                    "total": pick.total,
                    "levels": list(pick.levels),
                    "terms": [
                        {"plugin": t.scorer, "weight": t.weight, "score": t.score, "contribution": t.contribution}
                        for t in pick.terms
                    ],
                }
                for pick in self.picked
            ],
            "skipped": dict(self.skipped),
            "inactive": list(self.inactive),
            "clamped": sorted(self.clamped),
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """What a handler makes of the runs: the one whose picks count, or None; and a value of its own for the caller."""

    primary: str | None
    value: Any = None


class Outcome:
    """The answer of one cycle. "Nothing fits" is an answer: `ok` is False and the runs say why."""

    __slots__ = ("decision", "now", "primary", "results", "seed", "subject")

    def __init__(
        self, subject: Any, seed: int, now: float, results: Mapping[str, RunResult], decision: Decision
    ) -> None:
        self.subject = subject
        self.seed = seed
        self.now = now
        self.results = results
        self.decision = decision
        self.primary = None if decision.primary is None else results[decision.primary]

    def __repr__(self) -> str:
        return f"<Outcome {self}>"

    def __str__(self) -> str:
        """One line: the subject, and what the run says that counts, or all runs where none of them does."""
        runs = list(self.results.values()) if self.primary is None else [self.primary]
        return f"{_clipped(self.subject)}: {'; '.join(map(str, runs))}"

    @property
    def ok(self) -> bool:
        primary = self.primary
        return primary is not None and primary.ok

    @property
    def picked(self) -> tuple[Pick, ...]:
        primary = self.primary
        return () if primary is None else primary.picked

    @property
    def explanations(self) -> dict[str, Explanation]:
        """Of each run that was explained: all in explain mode, else those of a cycle that ended with nothing."""
        return {name: run.explanation for name, run in self.results.items() if run.explanation is not None}

    def explained(self, source: str | None = None) -> list[Explanation]:
        """The explanations of the runs whose candidates come from this source; None: from the cycle's own table."""
        runs = (run for run in self.results.values() if run.source == source)
        return [run.explanation for run in runs if run.explanation is not None]

    def record(self) -> dict[str, Any]:
        """The whole cycle as plain data: enough to say what was decided and why."""
        return {
            "subject": str(self.subject),
            "seed": self.seed,
            "now": self.now,
            "primary": self.decision.primary,
            "runs": [run.record() for run in self.results.values()],
        }


def _picked(picks: tuple[Pick, ...]) -> str:
    if not picks:
        return "picked nothing, as wanted"
    more = len(picks) - _SHOWN
    shown = ", ".join(f"{pick.key} ({', '.join(f'{level:.6g}' for level in pick.levels)})" for pick in picks[:_SHOWN])
    return f"picked {shown}" + (f" and {more} more" if more > 0 else "")


def _clipped(subject: Any) -> str:
    text = " ".join(str(subject).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
