"""django-oscar itself: oracles, answer keys and database agree, and a reset undoes everything."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect
from playwright.async_api import Error as PlaywrightError

from odokit.browser import new_context
from odokit.errors import TestBedError
from odokit.evaluate import evaluate
from odokit.tasks import bind, query_parameters
from odokit.testbeds import TestBed
from odokit.testbeds.verify import collect_writes, verify

# The first test installs the application, which takes minutes on a busy machine.
pytestmark = [pytest.mark.testbed, pytest.mark.timeout(1500)]
TESTBED = "oscar"

ROOT = Path(__file__).parents[2]
QUICK = (
    "edit_description_1",
    "create_product_type_2",
    "create_voucher_3",
    "change_line_status_4",
    "add_to_basket_5",
    "place_order_6",
)
SLOW = (
    "create_page_7",
    "create_product_8",
    "create_category_9",
    "create_offer_1",
    "create_range_2",
    "moderate_review_3",
    "supplier_address_4",
    "add_address_5",
    "write_review_6",
)
ADDRESSES = "SELECT count(*) FROM address_useraddress"


async def open_as(testbed: TestBed, browser: Browser, role: str) -> Page:
    """A page where the role begins; its context is the caller's to close."""
    context = await new_context(
        browser,
        storage_state=await testbed.sign_in(browser, role),
        allowed_origins=testbed.allowed_origins,
    )
    context.set_default_timeout(8_000)
    page = await context.new_page()
    await page.goto(testbed.start_url(role))
    return page


def test_it_is_up_and_says_so(testbed: TestBed) -> None:
    status = testbed.status()
    assert status.installed
    assert status.provisioned
    assert status.running
    assert status.url == testbed.base_url
    assert status.disk_mb > 100
    assert status.memory_mb > 30
    assert testbed.dirty() == []


@pytest.mark.parametrize(
    "instance", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
async def test_oracle_network_and_database_agree_and_nothing_spoilt_passes(
    testbed: TestBed, browser: Browser, instance: str
) -> None:
    (row,) = await verify(testbed, browser, instances=[instance])
    assert row.is_good, row
    assert row.n_spoilt >= 8


def test_every_template_is_sampled(testbed: TestBed) -> None:
    assert {name.rpartition("_")[0] for name in QUICK + SLOW} == set(testbed.oracles)


async def test_a_form_that_came_back_with_a_mistake_is_a_failure(
    testbed: TestBed, browser: Browser
) -> None:
    testbed.reset()
    template, instance = testbed.tasks().find("supplier_address_0")
    instance = instance.model_copy(
        update={"values": {**instance.values, "postcode": "5000 ABCDE", "country": "Denmark"}}
    )
    key = bind(template, instance, testbed.query)
    parameters = query_parameters(template, instance, testbed.query)
    page = await open_as(testbed, browser, template.role)
    async with collect_writes(page.context, testbed) as recorder:
        with pytest.raises(PlaywrightError, match="was updated successfully"):
            await testbed.oracles[template.id](page, instance.values)
    await page.context.close()
    verdict = evaluate(
        key, recorder.trajectory().events, query=testbed.query, parameters=parameters
    )
    assert not verdict.network_ok
    assert not verdict.database_ok
    assert "but status is 200" in verdict.explain()


@pytest.mark.parametrize("role", ["staff", "customer"])
async def test_a_session_is_private_and_outlives_a_reset(
    testbed: TestBed, browser: Browser, role: str
) -> None:
    path = await testbed.sign_in(browser, role)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_text()
    testbed.reset()
    page = await open_as(testbed, browser, role)
    assert page.url == testbed.start_url(role)
    await expect(page.get_by_role("link", name="Account", exact=True)).to_be_visible()
    assert path.read_text() == before
    await page.context.close()


async def test_the_customer_does_not_get_into_the_dashboard(
    testbed: TestBed, browser: Browser
) -> None:
    page = await open_as(testbed, browser, "customer")
    answer = await page.goto(testbed.start_url("staff"))
    assert answer is not None
    assert answer.status == 403
    await page.context.close()


async def test_looking_about_leaves_nothing_behind(testbed: TestBed, browser: Browser) -> None:
    testbed.reset()
    _, instance = testbed.tasks().find("write_review_0")
    page = await open_as(testbed, browser, "customer")
    await page.get_by_role("link", name=instance.values["shelf"], exact=True).click()
    await page.get_by_role("heading").get_by_role("link", name=instance.values["product"]).click()
    await page.get_by_role("heading", name=instance.values["product"], level=1).wait_for()
    await page.context.close()
    assert testbed.dirty() == []


async def test_what_was_left_behind_is_told_and_a_reset_undoes_it(
    testbed: TestBed, browser: Browser
) -> None:
    testbed.reset()
    ((n_before,),) = testbed.query(ADDRESSES, {})
    _, instance = testbed.tasks().find("add_address_9")
    page = await open_as(testbed, browser, "customer")
    await testbed.oracles["add_address"](page, instance.values)
    assert testbed.query(ADDRESSES, {}) == [(n_before + 1,)]
    assert any(line.startswith("address_useraddress: 1 row added") for line in testbed.dirty())
    assert testbed.reset() < 3
    assert testbed.dirty() == []
    assert testbed.query(ADDRESSES, {}) == [(n_before,)]
    await page.reload()
    await page.get_by_role("heading", name="Address Book", level=1).wait_for()
    await expect(page.get_by_text(instance.values["street"])).to_have_count(0)
    await page.context.close()


async def test_a_basket_left_behind_does_not_spoil_the_next_order(
    testbed: TestBed, browser: Browser
) -> None:
    chosen = ["add_to_basket_7", "place_order_7"]
    rows = await verify(testbed, browser, instances=chosen, reset="run")
    assert [row.instance for row in rows] == chosen
    assert all(row.is_good for row in rows), rows
    assert any("basket_line" in line for line in rows[1].left)


def test_only_one_run_may_use_it(testbed: TestBed) -> None:
    with testbed.reserve(), pytest.raises(TestBedError, match="used by another run"):
        testbed.up()


def test_queries_cannot_change_anything(testbed: TestBed) -> None:
    with pytest.raises(TestBedError, match="readonly"):
        testbed.query("DELETE FROM order_order", {})
