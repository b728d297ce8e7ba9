"""What test beds share: servers that outlive us, live database copies, locks, phase markers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.testbeds import TESTBED_NAMES, get_testbed
from odokit.testbeds.base import exclusive, size_mb, sole_user, write_private
from odokit.testbeds.kolibri import install
from odokit.testbeds.kolibri.accounts import FIELD_SECRETS, LANDING, PASSWORDS, USERNAMES
from odokit.testbeds.server import Server, answers, is_free, read_port
from odokit.testbeds.sqlite import change, copy_database, differences, run_query

DATA = Path(__file__).parents[2] / "data" / "testbeds"


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "server.pid", tmp_path / "server.log")
    yield made
    made.stop()


def http_server(port: int) -> list[str]:
    return [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"]


def test_a_server_is_started_found_again_and_stopped(
    server: Server, port: int, tmp_path: Path
) -> None:
    assert server.find() is None
    assert server.memory_mb() == 0
    assert is_free(port)
    process = server.start(http_server(port), os.environ)
    server.wait_ready(process, port, "/", 20)
    assert not is_free(port)
    assert os.getsid(process.pid) == process.pid  # no terminal takes it down
    again = Server(server.pid_file, server.log_file).find()
    assert again is not None
    assert again.pid == process.pid
    assert server.memory_mb() > 1
    assert "GET / HTTP" in server.log_file.read_text()
    server.stop()
    assert server.find() is None
    assert is_free(port)
    server.stop()  # nothing to do


def test_a_reused_process_id_is_not_taken_for_the_server(server: Server) -> None:
    server.pid_file.write_text(json.dumps({"pid": os.getpid(), "created": 1.0}))
    assert server.find() is None
    server.pid_file.write_text("{")
    assert server.find() is None


def test_a_server_that_was_killed_is_gone(server: Server, port: int) -> None:
    process = server.start(http_server(port), os.environ)
    server.wait_ready(process, port, "/", 20)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    assert server.find() is None


def test_a_server_that_dies_while_starting_is_reported_at_once(server: Server, port: int) -> None:
    process = server.start([sys.executable, "-c", "print('no such school')"], os.environ)
    with pytest.raises(TestBedError, match=r"ended while starting. Read .*server.log"):
        server.wait_ready(process, port, "/", 20)
    assert "no such school" in server.log_file.read_text()


def test_a_server_that_stays_silent_is_given_up(server: Server, port: int) -> None:
    silent = "import signal; signal.pause()"
    process = server.start([sys.executable, "-c", silent], os.environ)
    with pytest.raises(TestBedError, match="did not answer within 0 s"):
        server.wait_ready(process, port, "/", 0.3)
    assert not answers(port, "/")


@pytest.mark.parametrize(("text", "expected"), [("", 8185), ("9000", 9000), ("65534", 65534)])
def test_a_port_comes_from_the_environment(text: str, expected: int) -> None:
    assert read_port({"PORT": text}, "PORT", 8185) == expected


@pytest.mark.parametrize("text", ["80", "65535", "-1", "http"])
def test_a_bad_port_is_refused(text: str) -> None:
    with pytest.raises(TestBedError, match=r"PORT is '.*'; give a port from 1024"):
        read_port({"PORT": text}, "PORT", 8185)


def make_database(path: Path, *names: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE IF NOT EXISTS class (name TEXT)")
        connection.executemany("INSERT INTO class VALUES (?)", [(name,) for name in names])


def test_a_database_is_restored_while_it_is_open(tmp_path: Path) -> None:
    live, gold = tmp_path / "live.sqlite3", tmp_path / "gold.sqlite3"
    make_database(live, "Latin")
    copy_database(live, gold)
    with contextlib.closing(sqlite3.connect(live)) as held:
        held.execute("INSERT INTO class VALUES ('Greek')")
        held.commit()
        copy_database(gold, live)
        assert held.execute("SELECT name FROM class").fetchall() == [("Latin",)]
    change(gold, "UPDATE class SET name = 'Botany'")
    copy_database(gold, live)
    assert run_query(live, [], "SELECT name FROM class", {}) == [("Botany",)]


def test_databases_are_queried_together_and_read_only(tmp_path: Path) -> None:
    main, other = tmp_path / "main.sqlite3", tmp_path / "other.sqlite3"
    make_database(main, "Latin", "Greek")
    make_database(other, "Latin")
    sql = "SELECT count(*) FROM class JOIN other.class USING (name) WHERE name = :name"
    assert run_query(main, [other], sql, {"name": "Latin", "unused": ["x"]}) == [(1,)]
    for wrong in ("DELETE FROM class", "DELETE FROM other.class", "SELECT nothing FROM class"):
        with pytest.raises(TestBedError, match=wrong):
            run_query(main, [other], wrong, {})
    with pytest.raises(TestBedError, match="could not be copied"):
        copy_database(tmp_path / "absent.sqlite3", main)
    assert run_query(main, [], "SELECT count(*) FROM class", {}) == [(2,)]


def test_what_differs_from_the_gold_copy_is_told_table_by_table(tmp_path: Path) -> None:
    live, gold = tmp_path / "live.sqlite3", tmp_path / "gold.sqlite3"
    make_database(live, "Latin")
    change(live, "CREATE TABLE learner (id INTEGER PRIMARY KEY, name TEXT)")
    change(live, "INSERT INTO learner VALUES (1, 'Ada'), (2, 'Ben'), (3, 'Cleo')")
    copy_database(live, gold)
    assert differences(gold, live) == []
    change(live, "INSERT INTO class VALUES ('Greek')")
    change(live, "DELETE FROM learner WHERE id = 1")
    change(live, "UPDATE learner SET name = 'Benno' WHERE id = 2")
    change(live, "INSERT INTO learner VALUES (4, 'Dan'), (5, 'Eva')")
    assert differences(gold, live) == [
        "class: 1 row added, e.g. name='Greek'",
        "learner: 2 rows added, e.g. id=4; 1 row removed, e.g. id=1; 1 row changed, e.g. id=2",
    ]
    assert differences(gold, live, ignored={"learner"})[0].startswith("class")
    copy_database(gold, live)
    assert differences(gold, live) == []
    with pytest.raises(TestBedError, match="could not be compared"):
        differences(tmp_path / "absent.sqlite3", live)


def test_a_private_file_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.with_name("state.json.partial").write_text("left by a killed run")
    for text in ("{}", "[]"):
        write_private(path, text)
        assert path.read_text() == text
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["state.json"]


def test_a_test_bed_has_one_user_at_a_time(tmp_path: Path) -> None:
    lock = tmp_path / "bed" / "lock"
    with sole_user(lock), pytest.raises(TestBedError, match="used by another run"), sole_user(lock):
        pass
    with sole_user(lock):
        pass
    with exclusive(lock) as descriptor:
        os.fstat(descriptor)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_the_size_of_a_folder_counts_files_and_not_links(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "file").write_bytes(b"x" * 3_000_000)
    (tmp_path / "link").symlink_to(tmp_path / "inner" / "file")
    assert size_mb(tmp_path) == pytest.approx(3, abs=0.01)


def test_there_is_no_test_bed_of_another_name(settings: Settings) -> None:
    for name in TESTBED_NAMES:
        assert get_testbed(name, settings).name == name
    with pytest.raises(TestBedError, match="no test bed 'canvas'; choose one of kolibri"):
        get_testbed("canvas", settings)


def test_nothing_is_there_before_up(settings: Settings) -> None:
    settings.data.mkdir(parents=True)
    (settings.data / "testbeds").symlink_to(DATA)
    testbed = get_testbed("kolibri", settings)
    status = testbed.status()
    assert (status.installed, status.provisioned, status.running) == (False, False, False)
    assert status.pid is None
    testbed.down()
    for act in (testbed.reset, testbed.dirty):
        with pytest.raises(TestBedError, match="no gold copy of this seed; run its `up` first"):
            act()
    with pytest.raises(TestBedError, match="no database yet"):
        testbed.query("SELECT 1", {})
    with pytest.raises(TestBedError, match="no role 'janitor'; choose of admin, coach, learner"):
        testbed.start_url("janitor")


def test_kolibri_stays_on_this_machine_and_silent(tmp_path: Path) -> None:
    env = install.environment(install.Folders(tmp_path), 8185)
    assert env["KOLIBRI_LISTEN_ADDRESS"] == "127.0.0.1"
    assert env["KOLIBRI_DISABLE_PING"] == "True"
    assert env["KOLIBRI_ZEROCONF_ENABLED"] == "False"
    assert env["KOLIBRI_ZIP_CONTENT_PORT"] == "8186"


def test_a_phase_counts_only_when_its_marker_fits(tmp_path: Path) -> None:
    folders = install.Folders(tmp_path)
    school = '{"facility": {}}'
    folders.venv.mkdir()
    assert not install.is_installed(folders)
    (tmp_path / "installed.marker").write_text("0.1.0")
    assert not install.is_installed(folders)
    (tmp_path / "installed.marker").write_text(install.VERSION)
    assert install.is_installed(folders)
    assert not install.is_provisioned(folders, school)
    install.mark_provisioned(folders, school)
    assert install.is_provisioned(folders, school)
    assert not install.is_provisioned(folders, '{"facility": {"name": "other"}}')


def test_a_failing_phase_leaves_no_marker_and_names_its_log(tmp_path: Path) -> None:
    folders = install.Folders(tmp_path)
    school = '{"facility": {}}'
    install.mark_provisioned(folders, school)
    folders.kolibri.parent.mkdir(parents=True)
    folders.kolibri.write_text("#!/bin/sh\necho no such table\nexit 3\n")
    folders.kolibri.chmod(0o700)
    with (
        exclusive(tmp_path / "lock") as lock,
        pytest.raises(TestBedError, match=r"code 3: no such table Read .*provision\.log"),
    ):
        install.provision(folders, school, 8185, {}, lock)
    assert not (tmp_path / "provisioned.marker").exists()


def test_passwords_are_in_no_data_file() -> None:
    words = {*PASSWORDS.values(), *FIELD_SECRETS.values()}
    files = [path for path in DATA.rglob("*.yaml") if path.is_file()]
    assert files
    for path in files:
        assert not [word for word in words if word in path.read_text(encoding="utf-8")]
    assert set(PASSWORDS) == set(USERNAMES) == set(LANDING)
