"""Secrets of real pages: shown, copied, sent, answered, typed bit by bit; nowhere recorded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import orjson
import pytest
import zstandard
from conftest import Bench
from playwright.async_api import Page, Route

from odokit.events import EventKind, Trajectory
from odokit.record import SnapshotFolder, record
from odokit.record.spellings import spellings
from odokit.store import EventStore

pytestmark = pytest.mark.browser

PASSWORD = "Tr0ub4dor & <3>"
CARD = "4111 1111 1111 1111"
TOKEN = "tok-5f4e3d2c1b0a"
ANSWERED = "k3y-9f8e7d6c5b"
MARKED = "Blue Heron 7"
SESSION = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
SECRETS = (PASSWORD, CARD, TOKEN, ANSWERED, MARKED, SESSION)
PAGE = """<!doctype html><title>Pay</title><main>
<a href="#access_token=TOKEN&state=7">Sign in</a>
<p data-session="SESSION" title="your session: SESSION">Session SESSION of MARKED</p>
<label>Password <input type="password" id="pw"></label><button id="show">Show it</button>
<label>Payment <input id="pay"></label>
<label>File <input type="file"></label>
<button id="key">New key</button><button id="ask">MARKED?</button>
<p id="said"></p><x-card></x-card></main>
<script>
const $ = id => document.getElementById(id);
customElements.define('x-card', class extends HTMLElement {
  connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<i>MARKED</i>'; }
});
$('show').onclick = () => {
  $('pw').type = 'text';
  $('said').textContent = `You typed ${$('pw').value}`;
};
$('pay').oninput = e => e.target.setAttribute('value', e.target.value);
$('pay').onchange = e => { $('said').textContent = 'Pay by ' + e.target.value; };
$('ask').onclick = () => { prompt('Is it MARKED?', 'MARKED'); };
$('key').onclick = async () => {
  const answer = await fetch('/api/keys?token=TOKEN', {method: 'POST',
    headers: {'content-type': 'application/json'},
    body: JSON.stringify({note: `for ${$('pw').value}`, card: $('pay').value, by: 'MARKED'})});
  const {api_key: key} = await answer.json();
  document.title = key;
  $('said').innerHTML = `<b title="${key}">Your key is ${key}</b>`;
  $('key').textContent = key;
};
</script>"""
for _name in ("TOKEN", "SESSION", "MARKED"):
    PAGE = PAGE.replace(_name, globals()[_name])


async def serve(page: Page, origin: str) -> None:
    """Let the page and its one answer come from here."""

    async def answer(route: Route) -> None:
        await route.fulfill(json={"id": 7, "api_key": ANSWERED, "owner": MARKED}, status=201)

    async def show(route: Route) -> None:
        await route.fulfill(body=PAGE, content_type="text/html")

    await page.route(f"{origin}/pay**", show)
    await page.route("**/api/keys**", answer)


async def work(page: Page, file: Path) -> None:
    """Do everything in which a secret could be seen."""
    await page.get_by_label("Password").press_sequentially(PASSWORD)
    await page.get_by_role("button", name="Show it").click()
    await page.get_by_label("Password").press("End")
    await page.get_by_label("Password").press_sequentially("!")
    await page.get_by_label("Payment").press_sequentially(CARD)
    await page.get_by_label("File").set_input_files(file)
    await page.get_by_role("link", name="Sign in").click()
    page.once("dialog", lambda dialog: dialog.accept(MARKED))
    await page.get_by_role("button", name=f"{MARKED}?").click()
    await page.get_by_role("button", name="New key").click()
    await page.get_by_role("button", name=ANSWERED).wait_for()
    await page.get_by_role("button", name=ANSWERED).click()
    await page.get_by_text("Your key is").click()


def texts_of(folder: Path) -> Iterator[str]:
    """Every file of the recordings in a folder, decompressed."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if path.parent.parent.name == "snapshots":
            yield SnapshotFolder(folder / "snapshots").get(path.name[:32])
        elif path.suffix == ".zst":
            yield (
                zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes()).decode()
            )
        else:
            yield path.read_text(encoding="utf-8")


def stored_texts(folder: Path, store_path: Path) -> Iterator[str]:
    """Every column of every table after the recordings were ingested."""
    with EventStore.open(store_path) as store:
        store.ingest_folder(folder)
        names = store.sql("SELECT table_name FROM information_schema.tables")["table_name"]
        for name in names:
            for row in store.sql(f'SELECT * FROM "{name}"').iter_rows():
                yield orjson.dumps([str(cell) for cell in row]).decode()
        for (key,) in store.sql("SELECT hash FROM snapshot").iter_rows():
            yield store.get_snapshot(key)


def found_in(texts: Iterator[str]) -> set[tuple[str, str]]:
    """Secrets that some texts hold in any spelling, each with what stands around it."""
    return {
        (secret, text[max(0, text.index(form) - 60) : text.index(form) + 90])
        for text in texts
        for secret in SECRETS
        for form in spellings(secret)
        if form in text
    }


async def recorded(bench: Bench, tmp_path: Path) -> Trajectory:
    """A recording of the work on the page."""
    file = tmp_path / f"{MARKED}.txt"
    file.write_text("x", encoding="utf-8")
    async with bench.opened() as page:
        await serve(page, bench.site.origin)
        async with record(page.context, bench.folder, secrets={"bird": MARKED}) as recorder:
            await page.goto(f"{bench.site.origin}/pay?key={quote(MARKED)}")
            await work(page, file)
    return recorder.trajectory()


async def test_secrets_of_a_page_are_nowhere(
    bench: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    trajectory = await recorded(bench, tmp_path)
    assert found_in(iter([repr(trajectory), caplog.text])) == set()
    assert found_in(texts_of(bench.folder)) == set()
    assert found_in(stored_texts(bench.folder, tmp_path / "odokit.duckdb")) == set()
    everything = "".join(texts_of(bench.folder))
    # Nor the beginnings of a number that was told to be one by its last digit only.
    assert not re.search(r"4111 1111 \d", everything)
    marks = set(re.findall(r"{{secret:([^}]+)}}", everything))
    assert {"password", "card", "token", "bird", "api_key"} <= marks


async def test_what_was_done_can_still_be_told(bench: Bench, tmp_path: Path) -> None:
    trajectory = await recorded(bench, tmp_path)
    values = {
        e.element.name: e.value
        for e in trajectory.events
        if e.kind is EventKind.DATA_ENTRY and e.element is not None
    }
    assert values == {
        "Password": "{{secret:password}}",
        "Payment": "{{secret:card}}",
        "File": "{{secret:bird}}.txt",
    }
    clicks = [e.element.name for e in trajectory.events if e.kind is EventKind.CLICK and e.element]
    assert "{{secret:bird}}?" in clicks and "New key" in clicks
    write = next(e for e in trajectory.events if e.request is not None)
    assert write.request is not None and write.response is not None
    assert write.request.body == {
        "note": "for {{secret:password}}",
        "card": "{{secret:card}}",
        "by": "{{secret:bird}}",
    }
    assert write.response.body == {
        "id": 7,
        "api_key": "{{secret:api_key}}",
        "owner": "{{secret:bird}}",
    }
    moved = [e.to_url for e in trajectory.events if e.kind is EventKind.LOCATION]
    assert moved[-1].endswith("#access_token={{secret:token}}&state=7")
    dialog = next(d for e in trajectory.events for d in e.dialogs)
    assert (dialog.message, dialog.text) == ("Is it {{secret:bird}}?", "{{secret:bird}}")
