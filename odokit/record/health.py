"""How far a recording can be trusted: what was missed, whether capture worked, what it weighs.

A gap is something the recorder saw and could not record. A recording is saved with its health
report, never silently without what was missed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from odokit.events import Event, Gap, Health, SelfTest
from odokit.record.snapshots import SnapshotFolder

MAX_GAPS = 200
"""Different gaps kept; a page that goes on failing must not fill the recording."""


class HealthMeter:
    """Counts what a recording session misses."""

    def __init__(self) -> None:
        self._gaps: Counter[tuple[str, str]] = Counter()
        self._tests: dict[str, SelfTest] = {}

    def miss(self, what: str, where: str = "") -> None:
        """Note something that was seen and could not be recorded.

        Args:
            what: What it was, such as `a canvas was used`.
            where: On which element of which page.
        """
        if (what, where) in self._gaps or len(self._gaps) < MAX_GAPS:
            self._gaps[what, where] += 1

    def tested(self, url: str, failed: Sequence[str]) -> None:
        """Note the result of a page's self-test; one that failed is a gap too."""
        self._tests[url] = SelfTest(url=url, failed=tuple(failed))
        if failed:
            self.miss(f"capture does not work fully ({', '.join(failed)} failed)", f"on {url}")

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What was missed so far, in the order it was first missed."""
        return tuple(Gap(what=w, where=p, n=n) for (w, p), n in self._gaps.items())

    def report(self, events: Iterable[Event], snapshots: SnapshotFolder | None) -> Health:
        """Sum up a recording.

        Args:
            events: The events recorded so far.
            snapshots: Where its snapshots lie; None when they are not kept.
        """
        events = tuple(events)
        keys = {e.snapshot for e in events if e.snapshot}
        return Health(
            counts=dict(Counter(str(e.kind) for e in events)),
            gaps=self.gaps,
            self_tests=tuple(self._tests.values()),
            n_snapshots=len(keys),
            snapshot_bytes=sum(map(snapshots.size, keys)) if snapshots is not None else 0,
        )


def health_lines(health: Health) -> list[str]:
    """Say in a few lines what a health report means, for a person who has just recorded."""
    counts = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in health.counts.items())
    lines = [f"events: {counts or 'none'}"]
    lines.append(f"snapshots: {health.n_snapshots}, {health.snapshot_bytes / 1024:,.0f} KB")
    failed = [t for t in health.self_tests if t.failed]
    n_tests = len(health.self_tests)
    if n_tests:
        lines.append(f"self-test: passed on {n_tests - len(failed)} of {n_tests} pages")
    lines += [f"gap: {gap}" for gap in health.gaps]
    return lines
