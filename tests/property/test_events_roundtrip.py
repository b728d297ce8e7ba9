"""Whatever events hold, a recording gives them back; whatever bytes come, it answers or refuses."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from odokit.errors import RecordError
from odokit.events import (
    Effect,
    Element,
    Event,
    EventKind,
    Header,
    Option,
    Request,
    Response,
    Trajectory,
    read_recording,
    write_recording,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
WORD = TEXT.filter(bool)
ADDRESS = TEXT.map(lambda text: f"http://host/{quote(text)}#{text}")
HASH = st.binary(min_size=16, max_size=16).map(bytes.hex)
# Browsers count in doubles, so whole numbers end at 2**53; JSON has no infinities.
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
ELEMENT = st.builds(
    Element,
    tag=WORD,
    xpath=WORD,
    name=TEXT,
    text=TEXT,
    attributes=st.dictionaries(TEXT, TEXT, max_size=3),
    landmarks=st.lists(TEXT, max_size=3).map(tuple),
    frame=st.lists(TEXT, max_size=2).map(tuple),
)
OPTION = st.builds(Option, value=TEXT, label=TEXT, selected=st.booleans())
REQUEST = st.builds(Request, method=st.sampled_from(["POST", "PUT"]), url=ADDRESS, body=JSON)
RESPONSE = st.builds(Response, status=st.integers(0, 599), body=JSON)
EFFECT = st.builds(Effect, action=st.sampled_from(["added", "hidden"]), xpath=WORD, tag=WORD)
EVENT = st.builds(
    Event,
    kind=st.sampled_from(EventKind),
    idx=st.just(0),
    t_ms=st.floats(0, 1e9),
    url=ADDRESS,
    element=ELEMENT,
    value=TEXT,
    checked=st.booleans(),
    options=st.lists(OPTION, min_size=1, max_size=3).map(tuple),
    request=REQUEST,
    response=st.none() | RESPONSE,
    to_url=ADDRESS,
    effects=st.lists(EFFECT, min_size=1, max_size=3).map(tuple),
    snapshot=st.none() | HASH,
)
TRAJECTORY = st.builds(
    lambda header, events, gaps: Trajectory(
        header, tuple(e.model_copy(update={"idx": i}) for i, e in enumerate(events)), tuple(gaps)
    ),
    st.builds(
        Header, trajectory_id=WORD, task=TEXT, values=st.dictionaries(WORD, TEXT, max_size=2)
    ),
    st.lists(EVENT, max_size=4),
    st.lists(TEXT, max_size=2),
)
# tmp_path is shared by the examples of a test, which is fine: each overwrites one file.
SHARED_FOLDER = settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60
)


@SHARED_FOLDER
@given(trajectory=TRAJECTORY, suffix=st.sampled_from([".jsonl", ".jsonl.zst"]))
def test_every_trajectory_is_read_back(tmp_path: Path, trajectory: Trajectory, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    write_recording(path, trajectory)
    assert read_recording(path) == trajectory


@SHARED_FOLDER
@given(trajectory=TRAJECTORY, data=st.data())
def test_a_cut_recording_is_never_taken_for_a_whole_one(
    tmp_path: Path, trajectory: Trajectory, data: st.DataObject
) -> None:
    path = tmp_path / "t.jsonl"
    write_recording(path, trajectory)
    whole = path.read_bytes()
    # The last byte is the line end, without which the recording is still whole.
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 2))])
    with pytest.raises(RecordError, match=r"t\.jsonl"):
        read_recording(path)


@SHARED_FOLDER
@given(junk=st.binary(max_size=200), suffix=st.sampled_from([".jsonl", ".jsonl.zst"]))
def test_junk_is_refused_by_name(tmp_path: Path, junk: bytes, suffix: str) -> None:
    path = tmp_path / f"junk{suffix}"
    path.write_bytes(junk)
    with pytest.raises(RecordError, match=r"junk\.jsonl"):
        read_recording(path)
