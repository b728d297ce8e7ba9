"""Vendure without Vendure: what needs no server and no browser."""

from __future__ import annotations

import base64
import contextlib
import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.testbeds import get_testbed
from odokit.testbeds.base import TestBed
from odokit.testbeds.vendure.accounts import PASSWORDS
from odokit.testbeds.vendure.shop_data import shop_data
from odokit.testbeds.vendure.sign_in import is_alive, keep_session

ROOT = Path(__file__).parents[2]
SEED = ROOT / "data" / "testbeds" / "vendure" / "seed.yaml"


@pytest.fixture(scope="module")
def testbed(tmp_path_factory: pytest.TempPathFactory) -> TestBed:
    cache = str(tmp_path_factory.mktemp("cache"))
    return get_testbed("vendure", Settings.load(ROOT, env={"ODOKIT_CACHE": cache}))


def test_without_a_shop_it_says_so(testbed: TestBed) -> None:
    status = testbed.status()
    assert not (status.installed or status.provisioned or status.running)
    for act in (testbed.reset, testbed.dirty):
        with pytest.raises(TestBedError, match="no gold copy of this seed; run its `up` first"):
            act()
    with pytest.raises(TestBedError, match="no database yet"):
        testbed.query("SELECT 1", {})
    with pytest.raises(TestBedError, match="no role 'chef'; choose of admin, clerk"):
        testbed.start_url("chef")


def test_every_template_has_ten_instances_an_oracle_and_other_wordings(testbed: TestBed) -> None:
    tasks = testbed.tasks()
    assert len(tasks.templates) == 15
    assert {t.id for t in tasks.templates} == set(testbed.oracles)
    assert {t.role for t in tasks.templates} == set(testbed.roles)
    for template in tasks.templates:
        uses = Counter(instance.use for instance in template.instances)
        assert uses == {"demonstrate": 1, "execute": 9}, template.id
        texts = {template.instance_text(instance) for instance in template.instances}
        assert len(texts) == 10, template.id
        assert all(write.operation and write.answer for write in template.expect.writes)
    assert set(testbed.paraphrases().wordings) == set(testbed.oracles)


def test_departments_differ_and_refer_to_what_they_have() -> None:
    data = shop_data(SEED)
    assert shop_data(SEED) == data
    blocks = data["blocks"]
    assert len(blocks) == 10
    for kind, key in (("product", "sku"), ("customer", "email"), ("order", "code")):
        keys = [entry[key] for block in blocks for entry in block[kind]]
        assert len(set(keys)) == len(keys)
        assert min(len(block[kind]) for block in blocks) >= 3
    for block in blocks:
        emails = {customer["email"] for customer in block["customer"]}
        assert all(email.endswith(".example") for email in emails)
        assert all(set(group["members"]) < emails for group in block["group"])
        assert all(country["name"] in data["countries"] for country in block["country"])


def test_no_password_is_in_a_file_of_data() -> None:
    text = "".join(path.read_text() for path in SEED.parent.glob("*.yaml"))
    assert not any(password in text for password in PASSWORDS.values())
    assert shop_data(SEED)["clerk"]["password"] == PASSWORDS["clerk"]


def test_signing_in_leaves_its_session_in_the_gold_copy_and_nothing_else(tmp_path: Path) -> None:
    live, gold = tmp_path / "live.sqlite", tmp_path / "gold.sqlite"
    for path in (live, gold):
        run(path, "CREATE TABLE session (token, userId, invalidated)")
        run(path, "CREATE TABLE user (id, lastLogin, updatedAt, identifier)")
        run(path, "INSERT INTO user VALUES (1, NULL, 'then', 'owner'), (2, NULL, 'then', 'ida')")
    run(live, "INSERT INTO session VALUES ('old', 2, 0), ('new', 1, 0)")
    run(live, "UPDATE user SET lastLogin = 'now', updatedAt = 'now', identifier = 'changed'")
    session = stored(tmp_path / "admin.json", "new")
    keep_session(session, live, gold)
    assert run(gold, "SELECT * FROM session") == [("new", 1, 0)]
    assert run(gold, "SELECT * FROM user") == [(1, "now", "now", "owner"), (2, None, "then", "ida")]


def test_a_session_lives_as_long_as_the_shop_knows_it(tmp_path: Path) -> None:
    live = tmp_path / "live.sqlite"
    run(live, "CREATE TABLE session (token, invalidated)")

    def query(sql: str, params: Any) -> list[tuple[Any, ...]]:
        return run(live, sql, params)

    session = stored(tmp_path / "admin.json", "abc")
    assert not is_alive(session, query)
    run(live, "INSERT INTO session VALUES ('abc', 0)")
    assert is_alive(session, query)
    run(live, "UPDATE session SET invalidated = 1")
    assert not is_alive(session, query)
    assert not is_alive(tmp_path / "nobody.json", query)
    with pytest.raises(TestBedError, match="could not be copied into"):
        keep_session(session, live, tmp_path / "missing" / "gold.sqlite")


def stored(path: Path, token: str) -> Path:
    value = base64.b64encode(json.dumps({"token": token}).encode()).decode().rstrip("=")
    path.write_text(json.dumps({"cookies": [{"name": "session", "value": value}]}))
    return path


def run(path: Path, sql: str, params: Any = ()) -> list[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(sql, params).fetchall()
