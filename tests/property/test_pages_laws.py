"""Laws of pages sent as differences: what is put together is what was there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odokit.record.pages import MAX_DOCUMENTS, MAX_VERSIONS, Pages

TEXT = st.text("ab<>é😀", max_size=12)


def message(name: str, n: int, old: str, new: str) -> dict[str, object]:
    """What the page's script sends for a version, in UTF-16 units as it counts."""
    a, b = (text.encode("utf-16-le") for text in (old, new))
    units_a, units_b = ([raw[i : i + 2] for i in range(0, len(raw), 2)] for raw in (a, b))
    most = min(len(units_a), len(units_b))
    at = next((i for i in range(most) if units_a[i] != units_b[i]), most)
    left = most - at
    end = next((i for i in range(left) if units_a[-1 - i] != units_b[-1 - i]), left)
    middle = b"".join(units_b[at : len(units_b) - end]).decode("utf-16-le", "surrogatepass")
    return {"id": name, "n": n, "at": at, "end": end, "html": middle}


@given(st.lists(st.tuples(st.sampled_from("xy"), TEXT), max_size=12))
def test_every_version_is_put_together(sent: list[tuple[str, str]]) -> None:
    pages = Pages()
    latest: dict[str, tuple[int, str]] = {}
    for name, text in sent:
        n, old = latest.get(name, (0, ""))
        pages.take(message(name, n + 1, old, text))
        latest[name] = (n + 1, text)
        assert pages.get(f"{name}:{n + 1}") == text
    for name, (n, text) in latest.items():
        assert pages.get(f"{name}:{n}") == text
        assert pages.get(f"{name}:{n - MAX_VERSIONS}") is None


def test_what_does_not_follow_is_not_made_up() -> None:
    pages = Pages()
    pages.take({"id": "x", "n": 3, "at": 0, "end": 0, "html": "late"})
    assert pages.get("x:3") is None and pages.get("x:") is None and pages.get("") is None
    pages.take({"id": "x", "n": 1, "at": 0, "end": 0, "html": "abc"})
    with pytest.raises(ValueError, match="keeps more than there was"):
        pages.take({"id": "x", "n": 2, "at": 2, "end": 2, "html": ""})


def test_half_a_pair_is_no_error() -> None:
    pages = Pages()
    pages.take({"id": "x", "n": 1, "at": 0, "end": 0, "html": "a\ud83d"})
    html = pages.get("x:1")
    assert html == "a\ufffd"
    assert html.encode()


def test_old_documents_are_forgotten() -> None:
    pages = Pages()
    for i in range(MAX_DOCUMENTS + 1):
        pages.take({"id": str(i), "n": 1, "at": 0, "end": 0, "html": "abc"})
    assert pages.get("0:1") is None
    assert pages.get(f"{MAX_DOCUMENTS}:1") == "abc"
