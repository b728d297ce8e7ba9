"""Snapshots: found by content, small where they differ little, never read wrongly."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from odokit.errors import RecordError
from odokit.record.snapshots import MAX_KEYFRAMES, SnapshotFolder, page_key, snapshot_hash

ROWS = [f"<tr><td>{random.Random(i).random()}</td></tr>" for i in range(400)]
PAGE = f"<table>{''.join(ROWS)}</table>"


def versions(n: int) -> list[str]:
    """A page in states that differ by a row each."""
    return [PAGE.replace(ROWS[i], f"<tr><td>changed {i}</td></tr>") for i in range(n)]


def files(folder: Path) -> dict[str, int]:
    """Name and size of each file."""
    return {path.name: path.stat().st_size for path in folder.rglob("*") if path.is_file()}


def test_a_changed_page_takes_a_fraction_of_the_whole(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    whole = folder.put(PAGE, page="/rows")
    keys = [folder.put(html, page="/rows") for html in versions(5)]
    sizes = files(tmp_path)
    assert len(sizes) == 6
    assert all(20 * sizes[f"{k}.on-{whole}.zst"] < sizes[f"{whole}.html.zst"] for k in keys)
    fresh = SnapshotFolder(tmp_path)
    assert [fresh.get(key) for key in [*keys, whole]] == [*versions(5), PAGE]
    assert fresh.get_bytes(keys[0]) == versions(1)[0].encode()


def test_a_page_is_stored_once_whichever_way(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    for _ in range(2):
        folder.put(PAGE, page="/rows")
        folder.put(versions(1)[0], page="/rows")
        folder.put(versions(1)[0], page="/other")
    assert len(files(tmp_path)) == 2
    assert SnapshotFolder(tmp_path).put(versions(1)[0]) == snapshot_hash(versions(1)[0])
    assert len(files(tmp_path)) == 2


def test_a_page_that_has_little_in_common_begins_anew(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    other = "".join(str(random.Random(1000 + i).random()) for i in range(400))
    keys = [folder.put(PAGE, page="/a"), folder.put(other, page="/a")]
    third = folder.put(other + "!", page="/a")
    assert sorted(files(tmp_path)) == sorted(
        [f"{keys[0]}.html.zst", f"{keys[1]}.html.zst", f"{third}.on-{keys[1]}.zst"]
    )


def test_keyframes_held_are_bounded(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    for i in range(MAX_KEYFRAMES + 1):
        folder.put(f"{i} {PAGE}", page=str(i))
    folder.put(f"0 {PAGE}!", page="0")
    folder.put(f"{MAX_KEYFRAMES} {PAGE}!", page=str(MAX_KEYFRAMES))
    assert sum(".on-" in name for name in files(tmp_path)) == 1


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    whole = folder.put(PAGE, page="/a")
    key = folder.put(versions(1)[0], page="/a")
    with pytest.raises(RecordError, match=r"0{32}\.html\.zst is missing"):
        folder.get("0" * 32)
    (difference,) = tmp_path.rglob("*.on-*")
    difference.write_bytes(difference.read_bytes()[:-3])
    with pytest.raises(RecordError, match=f"{difference.name} is damaged"):
        folder.get(key)
    (tmp_path / whole[:2] / f"{whole}.html.zst").unlink()
    with pytest.raises(RecordError, match=f"{whole}.html.zst is missing"):
        SnapshotFolder(tmp_path).get(key)


def test_another_page_under_its_name_is_refused(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    one, other = folder.put("one"), folder.put("other")
    (tmp_path / one[:2] / f"{one}.html.zst").write_bytes(
        (tmp_path / other[:2] / f"{other}.html.zst").read_bytes()
    )
    with pytest.raises(RecordError, match="does not hold what its name says"):
        folder.get(one)


def test_snapshots_are_rewritten_with_all_that_hung_on_them(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    texts = ["hush " + PAGE, *versions(2), versions(3)[2] + " hush"]
    keys = [folder.put(html, page="/a") for html in texts]
    moved = folder.rewrite(keys, lambda html: html.replace("hush", "…"))
    assert list(moved) == [keys[0], keys[3]]
    fresh = SnapshotFolder(tmp_path)
    assert [fresh.get(moved[k]) for k in moved] == [
        texts[0].replace("hush", "…"),
        texts[3].replace("hush", "…"),
    ]
    assert [fresh.get(k) for k in keys[1:3]] == texts[1:3]
    for key in moved:
        with pytest.raises(RecordError, match="missing"):
            fresh.get(key)
        assert not [name for name in files(tmp_path) if key in name]
    assert folder.rewrite(keys[1:3], str) == {}


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://h/people/12/edit?tab=1", "/people/*/edit"),
        ("http://h/a#/classes/4f9c2d1e/rows?x=1", "/a/#/classes/*/rows"),
        ("http://h/a#top", "/a"),
    ],
)
def test_addresses_of_one_page(url: str, key: str) -> None:
    assert page_key(url) == key
