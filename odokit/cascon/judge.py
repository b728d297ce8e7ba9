"""Judge an episode on Canvas by the data set's answer keys, in its own way or in ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from odokit.cascon.agents import read_network_log
from odokit.cascon.matching import LoggedRequest, as_logged, entry_difference
from odokit.cascon.readers import CasconDataset, CasconInstance, KeyEntry
from odokit.cascon.strict import CANVAS_NOISE, strict_expectation
from odokit.errors import EvaluateError
from odokit.evaluate import Verdict, evaluate
from odokit.events import Event
from odokit.tasks import ExpectedWrite

MODES = ("strict", "cascon")
_NOT_LOGS = ("task-query", "history", "path-selection-result", "token")


def judge(
    instance: CasconInstance,
    writes: Iterable[Event],
    mode: str = "strict",
    *,
    noise: Sequence[ExpectedWrite] = CANVAS_NOISE,
) -> Verdict:
    """Judge what was written in an episode.

    Args:
        instance: A side-effect instance.
        writes: The episode's events; only writes count.
        mode: `strict` (our rules) or `cascon` (the data set's own, see `matching`).
        noise: Writes Canvas sends by itself; `strict` only.

    Raises:
        EvaluateError: The mode is unknown, or the answer key holds an unknown rule.
    """
    if mode == "strict":
        return evaluate(strict_expectation(instance), writes, noise=noise)
    if mode != "cascon":
        raise EvaluateError(f"mode {mode!r} is unknown; choose {' or '.join(MODES)}.")
    requests = [as_logged(event) for event in writes if event.kind.is_write]
    tries = [_lay_beside(group, requests) for group in instance.alternatives]
    matched, missing = min(tries, key=lambda t: len(t[1]))
    return Verdict(
        is_success=not missing,
        network_ok=not missing,
        database_ok=None,
        matched=tuple(matched),
        missing=tuple(missing),
        extra=(),
        database=(),
    )


def judge_logs(
    dataset: CasconDataset, folder: Path, agent: str, mode: str = "strict"
) -> Iterator[tuple[str, Verdict]]:
    """Judge every network log of a folder whose name holds the id of a side-effect instance.

    An instance without a log gives no verdict, as in the published evaluation; whoever counts
    successes must count it as a failure.

    Args:
        dataset: The data set.
        folder: The agent's network logs, JSON files.
        agent: `odobot`, `webvoyager` or `agent_e`.
        mode: `strict` or `cascon`.

    Yields:
        Instance id and verdict, in the order of file names.

    Raises:
        RecordError: A log is malformed.
        EvaluateError: The mode is unknown.
    """
    for path in sorted(folder.glob("*.json")):
        if any(word in path.name for word in _NOT_LOGS):
            continue
        found = (instance for _, instance in dataset.iter_instances() if instance.id in path.name)
        instance = next(found, None)
        if instance is not None:
            yield instance.id, judge(instance, read_network_log(path, agent), mode)


def _lay_beside(
    group: Sequence[KeyEntry], requests: Sequence[LoggedRequest]
) -> tuple[list[str], list[str]]:
    matched, missing = [], []
    for entry in group:
        if entry.method == "GET":
            continue
        reasons = [(entry_difference(entry, request), request) for request in requests]
        met = next((request for reason, request in reasons if reason is None), None)
        wanted = f"{entry.method} {entry.path}"
        if met is not None:
            matched.append(f"{wanted} <- {met.method} {met.path}")
        else:
            near = (f"{r.method} {r.path}, but {why}" for why, r in reasons if _is_near(why))
            none = f"none of the {len(requests)} writes has this method and path"
            missing.append(f"{wanted}: {next((f'nearest was {n}' for n in near), none)}")
    return matched, missing


def _is_near(reason: str | None) -> bool:
    return reason is not None and not reason.startswith(("method is", "path is"))
