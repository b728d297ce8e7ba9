"""django-oscar without the shop: what needs no server and no browser."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.testbeds import TestBed, get_testbed
from odokit.testbeds.oscar import install
from odokit.testbeds.oscar.accounts import EMAILS, PASSWORDS
from odokit.testbeds.oscar.shop_data import shop_data

ROOT = Path(__file__).parents[2]
SEED = ROOT / "data" / "testbeds" / "oscar" / "seed.yaml"
N_BLOCKS = 10


@pytest.fixture
def testbed(tmp_path: Path) -> TestBed:
    return get_testbed("oscar", Settings.load(ROOT, env={"ODOKIT_CACHE": str(tmp_path)}))


def test_there_are_fifteen_templates_of_ten_instances_each_with_an_oracle(
    testbed: TestBed,
) -> None:
    templates = testbed.tasks().templates
    assert len(templates) == 15
    assert {template.id for template in templates} == set(testbed.oracles)
    for template in templates:
        assert template.role in testbed.roles
        uses = Counter(instance.use for instance in template.instances)
        assert uses == {"demonstrate": 1, "execute": N_BLOCKS - 1}
        texts = {template.instance_text(instance) for instance in template.instances}
        assert len(texts) == N_BLOCKS


def test_every_write_of_an_answer_key_says_how_the_shop_must_answer(testbed: TestBed) -> None:
    for template in testbed.tasks().templates:
        for write in template.expect.writes:
            assert write.status == 302 or write.answer is not None, write
        assert template.expect.database, template.id


def test_every_template_has_other_wordings(testbed: TestBed) -> None:
    assert set(testbed.paraphrases().wordings) == {t.id for t in testbed.tasks().templates}


def test_the_shop_data_refer_only_to_what_is_there() -> None:
    data = shop_data(SEED, PASSWORDS)
    assert len(data["blocks"]) == N_BLOCKS
    countries = {country["name"] for country in data["countries"]}
    for block in data["blocks"]:
        titles = {product["title"] for product in block["product"]}
        emails = {customer["email"] for customer in block["customer"]}
        ranges = {entry["name"] for entry in block["range"]}
        assert all(set(entry["products"]) <= titles for entry in block["range"])
        assert all(offer["range"] in ranges for offer in block["offer"])
        assert all(review["product"][0] in titles for review in block["review"])
        for order in block["order"]:
            assert set(order["products"]) <= titles
            assert order["customer"] in emails
            assert order["country"] in countries


def test_the_accounts_are_those_of_the_seed_and_no_password_is_in_a_file() -> None:
    data = shop_data(SEED, PASSWORDS)
    assert {role: person["email"] for role, person in data["accounts"].items()} == EMAILS
    for path in SEED.parent.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        assert not any(password in text for password in PASSWORDS.values())


def test_no_two_collections_share_a_name_that_tasks_choose_by() -> None:
    blocks = shop_data(SEED, PASSWORDS)["blocks"]
    for kind in ("collection", "supplier", "shelf", "product", "range", "offer"):
        key = "title" if kind == "product" else "name"
        found = [entry[key] for block in blocks for entry in block[kind]]
        assert len(found) == len(set(found)), kind


def test_the_same_seed_gives_the_same_shop() -> None:
    assert json.dumps(shop_data(SEED, PASSWORDS)) == json.dumps(shop_data(SEED, PASSWORDS))


def test_before_anything_is_installed_it_says_what_to_do(testbed: TestBed) -> None:
    status = testbed.status()
    assert not status.installed
    assert not status.provisioned
    assert not status.running
    with pytest.raises(TestBedError, match="run its `up` first"):
        testbed.reset()
    with pytest.raises(TestBedError, match="run its `up` first"):
        testbed.dirty()
    with pytest.raises(TestBedError, match="run its `up` first"):
        testbed.query("SELECT 1", {})


async def test_an_unknown_role_is_refused_with_those_there_are(testbed: TestBed) -> None:
    with pytest.raises(TestBedError, match="choose of staff, customer"):
        testbed.start_url("admin")


def test_other_data_mean_provisioning_anew(tmp_path: Path) -> None:
    folders = install.Folders(tmp_path / "oscar")
    folders.root.mkdir()
    (folders.root / "installed.marker").write_text(" ".join(install.PACKAGES))
    assert install.is_installed(folders)
    assert not install.is_provisioned(folders, "{}")
    install.mark_provisioned(folders, "{}")
    assert install.is_provisioned(folders, "{}")
    assert not install.is_provisioned(folders, '{"countries": []}')
