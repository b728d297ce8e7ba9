"""The verdict on an episode, and how it is reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from odokit.evaluate.bodies import equal
from odokit.evaluate.pairing import is_any, pair
from odokit.evaluate.requests import split_batch
from odokit.events import Event
from odokit.tasks import Expectation, ExpectedWrite, Query


@dataclass(frozen=True)
class Verdict:
    """The judgement on one episode, with its reasons.

    Attributes:
        is_success: Whether network and database both agree with the answer key.
        network_ok: Whether every expected write was seen and no other.
        database_ok: Whether every database check holds; None when there are none.
        matched: `expected <- observed` for each expectation that was met.
        missing: Expectations no request met, each with the nearest miss.
        extra: Writes nobody expected.
        database: One line a failed check.
    """

    is_success: bool
    network_ok: bool
    database_ok: bool | None
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    database: tuple[str, ...]

    def explain(self) -> str:
        """All reasons: a line that sums up, then one for each expectation, write and check."""
        parts = [("matched", self.matched), ("missing", self.missing), ("extra", self.extra)]
        parts.append(("database", self.database))
        lines = [f"{label}: {line}" for label, lines in parts for line in lines]
        return "\n".join([self._summary(), *lines])

    def _summary(self) -> str:
        n_expected = len(self.matched) + len(self.missing)
        found = f"{len(self.matched)} of {n_expected} expected writes seen"
        extra = f"{len(self.extra)} unexpected"
        checks = f", {len(self.database)} database checks failed" if self.database else ""
        return f"{'success' if self.is_success else 'failure'}: {found}, {extra}{checks}"


def evaluate(
    expectation: Expectation,
    events: Iterable[Event],
    *,
    noise: Sequence[ExpectedWrite] = (),
    query: Query | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Verdict:
    """Judge the writes of an episode against a bound answer key.

    Args:
        expectation: Answer key of the instance, ids bound (`tasks.bind`).
        events: The episode's events; only its writes count.
        noise: Writes the application sends by itself; they count only where they are expected.
        query: Read-only access to the application's database for the cross-check, if any.
        parameters: Values and ids for the database checks.

    Raises:
        EvaluateError: The answer key holds a faulty body matcher.
    """
    writes = [single for e in events if e.kind.is_write for single in split_batch(e)]
    allowed = (*expectation.also_allowed, *noise)
    pairing = pair(expectation, writes, allowed)
    extra = tuple(pairing.describe_extra(w) for w in pairing.left if not is_any(allowed, w))
    failed = _failed_checks(expectation, query, parameters or {})
    network_ok = not pairing.n_missing and not extra
    return Verdict(
        is_success=network_ok and not failed,
        network_ok=network_ok,
        database_ok=None if query is None or not expectation.database else not failed,
        matched=pairing.matched(),
        missing=pairing.missing(noise),
        extra=extra,
        database=tuple(failed),
    )


def _failed_checks(
    expectation: Expectation, query: Query | None, parameters: Mapping[str, Any]
) -> list[str]:
    if query is None:
        return []
    failed = []
    for check in expectation.database:
        rows = query(check.query, parameters)
        cell = rows[0][0] if rows else None
        if not equal(check.equals, cell):
            failed.append(f"{check.query} gives {cell!r}, not {check.equals!r}")
    return failed
