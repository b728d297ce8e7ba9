"""The extension's folder is complete for both browsers, and its exports become recordings."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from odokit.errors import RecordError
from odokit.events import EventKind, Trajectory, read_recording
from odokit.record.extension import (
    BROWSERS,
    EXPORT_SUFFIX,
    build_extension,
    import_export,
    unpack_exports,
)
from odokit.record.redact import redact_url
from odokit.record.script import PARTS
from odokit.store import EventStore

BEGAN = 1_800_000_000_000.0
HEAD = {
    "odokit_export": 1,
    "header": {
        "trajectory_id": "a1b2c3",
        "task": 'Rename "x"',
        "start_url": "http://a.test/",
        "started_at": "2027-01-15T08:00:00.000Z",
    },
}
BUTTON = {"tag": "button", "xpath": "/html/body/button", "role": "button", "name": "Save"}


# --------------------------------------------------------------------------------- folder


@pytest.fixture(params=BROWSERS)
def built(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The extension for each browser."""
    return build_extension(tmp_path / "unpacked", request.param)


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of an unpacked extension."""
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return manifest


def test_everything_named_is_there(built: Path) -> None:
    manifest = manifest_of(built)
    background = manifest["background"]
    named = {manifest["action"]["default_popup"]}
    named |= set(background.get("scripts", [])) | {background.get("service_worker")} - {None}
    script = (built / "background.js").read_text(encoding="utf-8")
    named |= set(re.findall(r"'([\w.]+\.js)'", script))
    for file in built.glob("*.js"):
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r"from '\./([\w.]+)'", text))
    named |= set(re.findall(r'(?:src|href)="([^"]+)"', (built / "popup.html").read_text("utf-8")))
    assert named == {p.name for p in built.iterdir()} - {"manifest.json"}


def test_the_script_is_the_recorders_own(built: Path) -> None:
    package = Path(__file__).parents[2] / "odokit" / "record"
    for name in PARTS:
        assert (built / name).read_bytes() == (package / name).read_bytes()


def test_manifest_fits_its_browser(tmp_path: Path) -> None:
    chromium = manifest_of(build_extension(tmp_path / "c", "chromium"))
    firefox = manifest_of(build_extension(tmp_path / "f", "firefox"))
    for manifest in (chromium, firefox):
        assert manifest["manifest_version"] == 3
        assert len(manifest["description"]) <= 132
        assert re.fullmatch(r"\d+(\.\d+){0,3}", manifest["version"])
        assert manifest["host_permissions"] == ["<all_urls>"]
    # Firefox has no service workers for extensions, Chromium no background scripts in version 3.
    assert chromium["background"] == {"service_worker": "background.js", "type": "module"}
    assert firefox["background"] == {"scripts": ["background.js"], "type": "module"}
    assert "browser_specific_settings" not in chromium
    gecko = firefox["browser_specific_settings"]["gecko"]
    assert re.fullmatch(r"[\w.-]+@[\w.-]+", gecko["id"])
    assert int(gecko["strict_min_version"].split(".")[0]) >= 128


def test_every_interface_used_is_permitted(built: Path) -> None:
    text = "".join(p.read_text(encoding="utf-8") for p in built.glob("*.js"))
    used = set(re.findall(r"chrome\.(\w+)\.", text)) - {"runtime", "action", "permissions"}
    assert used <= set(manifest_of(built)["permissions"])


def test_the_page_gets_the_rules_as_data(built: Path) -> None:
    text = (built / "rules.js").read_text(encoding="utf-8")
    rules = json.loads(text.removeprefix("globalThis.__odokit_rules = ").removesuffix(";\n"))
    assert re.search(rules["key"], "password")
    assert {name for name, _ in rules["rules"]} == {"token", "card"}


def test_rules_asked_for_are_built_in(tmp_path: Path) -> None:
    built = build_extension(tmp_path / "e", secret_rules=["email"])
    assert '[["email", ' in (built / "rules.js").read_text(encoding="utf-8")


ADDRESSES = [
    "http://a.test/x?page=2",
    "http://a.test/x?token=abc&page=2#top",
    "/relative?csrf%5Ftoken=1&q=a+b",
    "http://a.test/#access_token=abcdef123456",
    "http://a.test/pay/4111111111111111",
    "http://a.test/order/4111111111111112",
]


def test_the_background_redacts_addresses_as_python_does(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js to run the script with")
    built = build_extension(tmp_path / "e")
    program = """
        import './rules.js';
        const {redactUrl} = await import('./redact.js');
        console.log(JSON.stringify(JSON.parse(process.argv[1]).map(redactUrl)));
    """
    command = [node, "--input-type=module", "-e", program, json.dumps(ADDRESSES)]
    (built / "package.json").write_text('{"type": "module"}')
    made = subprocess.run(command, cwd=built, capture_output=True, text=True, check=True)
    assert [unquote(url) for url in json.loads(made.stdout)] == [
        unquote(redact_url(url)).replace("a b", "a+b") for url in ADDRESSES
    ]


def test_a_build_may_be_repeated_but_covers_nothing_else(tmp_path: Path) -> None:
    build_extension(tmp_path / "e")
    build_extension(tmp_path / "e", "firefox")
    assert "scripts" in manifest_of(tmp_path / "e")["background"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(RecordError, match="holds other files"):
        build_extension(tmp_path / "mine")
    with pytest.raises(RecordError, match="chromium or firefox"):
        build_extension(tmp_path / "s", "safari")


# --------------------------------------------------------------------------------- exports


def page(
    data: Mapping[str, Any], *, doc: str = "d", edge: str = "", tab: int = 0
) -> dict[str, Any]:
    """A message of a page's script."""
    return {"tab": tab, "doc": doc, "edge": edge or doc, "data": dict(data)}


def seen(data: Mapping[str, Any], *, tab: int = 0) -> dict[str, Any]:
    """A message of the background."""
    return {"tab": tab, "data": dict(data)}


def click(at: float = 10.0, **more: Any) -> dict[str, Any]:
    """A click as the page tells of it."""
    return {"kind": "click", "at": BEGAN + at, "url": "http://a.test/", "element": BUTTON, **more}


def asked(at: float, url: str = "http://a.test/api", **more: Any) -> dict[str, Any]:
    """A request as the page tells of it."""
    return {
        "kind": "request",
        "id": 1,
        "at": BEGAN + at,
        "url": "http://a.test/",
        "method": "POST",
        "request_url": url,
        "resource_type": "fetch",
        "initiator": "",
        "content_type": "application/json",
        "body": {"name": "x"},
        **more,
    }


def sent(at: float, url: str = "http://a.test/api", **more: Any) -> dict[str, Any]:
    """A request as the browser sees it."""
    return {
        "kind": "sent",
        "at": BEGAN + at,
        "url": "http://a.test/",
        "request": "7",
        "method": "POST",
        "request_url": url,
        "type": "xmlhttprequest",
        **more,
    }


def over(kind: str, status: int, **more: Any) -> dict[str, Any]:
    """How a request ended."""
    return {"kind": kind, "at": BEGAN + 90.0, "request": "7", "status": status, **more}


def write_export(
    folder: Path, *messages: Mapping[str, Any], is_complete: bool = True, name: str = "x"
) -> Path:
    """Write an export."""
    closing = {"end": True, "n_lines": len(messages), "is_complete": is_complete}
    path = folder / f"{name}{EXPORT_SUFFIX}"
    path.write_text("".join(json.dumps(m) + "\n" for m in [HEAD, *messages, closing]))
    return path


def imported(folder: Path, *messages: Mapping[str, Any], is_complete: bool = True) -> Trajectory:
    """Import an export of some messages."""
    path = write_export(folder, *messages, is_complete=is_complete)
    return read_recording(import_export(path, folder / "out"))


def test_events_come_in_the_order_in_which_they_happened(tmp_path: Path) -> None:
    move = {"url": "http://a.test/b", "from_url": "http://a.test/", "to_url": "http://a.test/b"}
    trajectory = imported(
        tmp_path,
        seen({"kind": "location", "at": BEGAN + 20, **move}, tab=1),
        page(click(10)),
        page(asked(15)),
    )
    kinds = [(e.kind, e.t_ms, e.tab) for e in trajectory.events]
    assert kinds == [
        (EventKind.CLICK, 10.0, 0),
        (EventKind.REST_CALL, 15.0, 0),
        (EventKind.LOCATION, 20.0, 1),
    ]
    assert trajectory.header.task == 'Rename "x"'


def test_a_request_has_its_body_from_the_page_and_its_redirect_from_the_browser(
    tmp_path: Path,
) -> None:
    answer = {"kind": "response", "id": 1, "status": 200, "body": {"ok": 1}, "location": ""}
    trajectory = imported(
        tmp_path,
        page(click()),
        seen(sent(21)),
        page(asked(20)),
        seen(over("redirected", 302, location="http://a.test/done")),
        page(answer),
    )
    (event,) = [e for e in trajectory.events if e.request is not None]
    assert event.request is not None and event.response is not None
    assert event.request.body == {"name": "x"}
    assert (event.response.status, event.response.location) == (302, "http://a.test/done")
    assert trajectory.gaps == ()


def test_a_form_counts_when_the_browser_saw_it_sent(tmp_path: Path) -> None:
    form = asked(30, "http://a.test/save?x=1", kind="form", body={"title": "New"})
    trajectory = imported(
        tmp_path,
        page(click()),
        page(asked(25, "http://a.test/other", kind="form", body={"never": "sent"})),
        page(form),
        seen(sent(32, "http://a.test/save?x=1", type="main_frame")),
        seen(over("completed", 200)),
    )
    (event,) = [e for e in trajectory.events if e.request is not None]
    assert event.request is not None and event.response is not None
    assert (event.request.resource_type, event.request.body) == ("document", {"title": "New"})
    assert (event.t_ms, event.response.status) == (30.0, 200)


def test_a_request_no_page_told_of_is_a_gap(tmp_path: Path) -> None:
    trajectory = imported(tmp_path, page(click()), seen(sent(20, "http://a.test/worker")))
    assert [e.kind for e in trajectory.events] == [EventKind.CLICK, EventKind.REST_CALL]
    assert "http://a.test/worker" in trajectory.gaps[0]


def test_a_graphql_query_is_no_write(tmp_path: Path) -> None:
    query, mutation = {"query": "query A { a }"}, {"query": "mutation B { b }"}
    trajectory = imported(
        tmp_path,
        page(click()),
        page(asked(20, body=query)),
        page(asked(30, id=2, body=mutation)),
    )
    assert [e.kind for e in trajectory.events] == [EventKind.CLICK, EventKind.GRAPHQL_MUTATION]


def test_a_frame_of_another_origin_learns_where_it_stands(tmp_path: Path) -> None:
    inner = {**BUTTON, "frame": ["?", "/html/body/iframe"]}
    trajectory = imported(
        tmp_path,
        page(click(element=inner, url="http://b.test/"), doc="deep", edge="middle"),
        page({"kind": "frame", "child": "middle", "path": ["?", "/html/iframe[2]"]}, doc="outer"),
        page({"kind": "frame", "child": "outer", "path": ["/html/body/iframe"]}, doc="top"),
    )
    event = trajectory.events[0]
    assert event.element is not None
    steps = ("/html/body/iframe", "/html/iframe[2]", "/html/body/iframe")
    assert event.element.frame == steps
    assert event.url == "http://a.test/"


def test_frames_that_name_each_other_end(tmp_path: Path) -> None:
    inner = {**BUTTON, "frame": ["?"]}
    trajectory = imported(
        tmp_path,
        page(click(element=inner), doc="one"),
        page({"kind": "frame", "child": "one", "path": ["?"]}, doc="two"),
        page({"kind": "frame", "child": "two", "path": ["?"]}, doc="one"),
    )
    element = trajectory.events[0].element
    assert element is not None and element.frame == ("?",)


def test_a_download_belongs_to_what_began_it(tmp_path: Path) -> None:
    download = {"kind": "download", "at": BEGAN + 12, "name": "grades.csv"}
    trajectory = imported(tmp_path, page(click()), seen(download))
    assert trajectory.events[0].download == "grades.csv"


def test_a_failed_self_test_and_an_early_end_are_told(tmp_path: Path) -> None:
    test = {"kind": "self_test", "url": "http://a.test/", "failed": ["observer"]}
    trajectory = imported(tmp_path, page(click()), seen(test), is_complete=False)
    assert trajectory.health is not None
    assert trajectory.health.self_tests[0].failed == ("observer",)
    assert any("the browser ended before" in gap for gap in trajectory.gaps)


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda lines: [], "is empty"),
        (lambda lines: lines[:-1], "after line 2: lines are missing"),
        (lambda lines: [lines[0], lines[2]], "after line 1: lines are missing"),
        (lambda lines: [lines[0], "{", lines[2]], "line 2, field .*JSON"),
        (lambda lines: [lines[0], '{"tab": -1, "data": {}}', lines[2]], "line 2, field tab"),
        (lambda lines: [lines[0], '{"tab": 0, "data": {}}', lines[2]], "line 2: .*kind"),
        (lambda lines: [lines[0].replace("1", "9", 1), *lines[1:]], "newer than this odokit"),
        (lambda lines: [lines[0].replace("2027-01", "soon"), *lines[1:]], "started_at"),
        (lambda lines: [lines[0].replace("a1b2c3", "../x"), *lines[1:]], "trajectory_id"),
        (lambda lines: [lines[0], lines[1].replace("click", "gap"), lines[2]], "line 2: .*what"),
    ],
)
def test_a_spoilt_export_is_refused(tmp_path: Path, spoil: Any, complaint: str) -> None:
    path = write_export(tmp_path, page(click()))
    path.write_text("\n".join(spoil(path.read_text().splitlines())))
    with pytest.raises(RecordError, match=complaint) as caught:
        import_export(path, tmp_path / "out")
    assert str(path) in str(caught.value)
    assert not list((tmp_path / "out").glob("*.jsonl*"))


def test_an_export_without_a_deed_is_not_imported(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no click or entry"):
        imported(tmp_path, page(asked(20)))


def test_a_folder_of_exports_can_be_ingested(tmp_path: Path) -> None:
    write_export(tmp_path, page(click()))
    (made,) = unpack_exports(tmp_path)
    assert unpack_exports(tmp_path) == []
    assert made.parent == tmp_path
    with EventStore.open(tmp_path / "w.duckdb") as store:
        report = store.ingest_folder(tmp_path)
    assert (report.n_new, report.n_events) == (1, 1)
