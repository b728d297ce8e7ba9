"""Synthetic recordings: the same sessions in odokit's format and as lines with the page inside.

A session is 60 events over 40 page templates of about 300 kB: 35 % of the events leave the page as
it was, 45 % edit it a little, 20 % load another page. Each load brings fresh tokens and ids, so no
two visits are equal.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from odokit.events import Element, Event, EventKind, Header, Trajectory, write_recording
from odokit.record.snapshots import SnapshotFolder, page_key

N_EVENTS, N_TEMPLATES, PAGE_BYTES = 60, 40, 300_000
UNCHANGED, EDITED = 0.35, 0.80
ORIGIN = "http://127.0.0.1:8080"
BUTTON = Element(tag="button", xpath="/html/body/main/button", role="button", name="Save")


def write_sessions(folder: Path, n: int, n_naive: int) -> int:
    """Write `n` sessions into `ours/` of a folder and the first `n_naive` into `naive/`.

    Returns:
        Bytes of all pages, as often as an event shows them.
    """
    snapshots = SnapshotFolder(folder / "ours" / "snapshots")
    (folder / "naive").mkdir(parents=True)
    size = 0
    for number in range(n):
        trajectory_id = f"t{number:04d}"
        events, lines = [], []
        for idx, (url, html) in enumerate(_visits(number)):
            event = Event(
                kind=EventKind.CLICK,
                idx=idx,
                t_ms=1000.0 * idx,
                url=url,
                element=BUTTON,
                snapshot=snapshots.put(html, page=page_key(url)),
            )
            events.append(event)
            size += len(html)
            if number < n_naive:
                plain = event.model_dump(mode="json", exclude_defaults=True)
                lines.append(json.dumps({"trajectory_id": trajectory_id, **plain, "html": html}))
        header = Header(trajectory_id=trajectory_id, task="Save it", start_url=ORIGIN)
        path = folder / "ours" / f"{trajectory_id}.jsonl.zst"
        write_recording(path, Trajectory(header, tuple(events)))
        if number < n_naive:
            text = "\n".join(lines) + "\n"
            (folder / "naive" / f"{trajectory_id}.jsonl").write_text(text, encoding="utf-8")
    return size


def _visits(seed: int) -> Iterator[tuple[str, str]]:
    """Address and HTML at each event of a session."""
    rng = random.Random(seed)
    number = rng.randrange(N_TEMPLATES)
    parts = _load(number, rng)
    for _ in range(N_EVENTS):
        drawn = rng.random()
        if drawn >= EDITED:
            number = rng.randrange(N_TEMPLATES)
            parts = _load(number, rng)
        elif drawn >= UNCHANGED:
            parts[rng.randrange(1, len(parts) - 1)] = _row(rng)
        yield f"{ORIGIN}/page-{number}x/", "".join(parts)


def _load(number: int, rng: random.Random) -> list[str]:
    """A template with the tokens and ids of one load of the page."""
    parts = list(_template(number))
    parts[0] += f"<meta name=csrf content={rng.getrandbits(256):064x}>"
    for place in range(1, len(parts), len(parts) // 20):
        parts[place] = parts[place].replace(" id=", f" data-load={rng.getrandbits(64):x} id=", 1)
    return parts


@cache
def _template(number: int) -> tuple[str, ...]:
    rng = random.Random(-1 - number)
    parts, size = [f"<html><head><title>Page {number}</title></head><body><main>"], 0
    while size < PAGE_BYTES:
        parts.append(_row(rng))
        size += len(parts[-1])
    return (*parts, "</main></body></html>")


def _row(rng: random.Random) -> str:
    words = " ".join(rng.choice(_words()) for _ in range(rng.randint(3, 12)))
    key = rng.getrandbits(32)
    return (
        f'<div class="row card" role="listitem"><a id="item-{key}" class="title link" '
        f'href="/items/{key}/">{words}</a><span class="state">{rng.choice(_words())}</span>'
        '<button type="button" class="btn btn-secondary" aria-label="Edit">Edit</button></div>'
    )


@cache
def _words() -> tuple[str, ...]:
    rng = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return tuple("".join(rng.choices(letters, k=rng.randint(2, 10))) for _ in range(3_000))
