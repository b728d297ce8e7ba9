"""Vendure itself: its oracles, answer keys and database agree, and a reset undoes everything."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect
from playwright.async_api import Error as PlaywrightError

from odokit.browser import new_context
from odokit.errors import TestBedError
from odokit.evaluate import evaluate
from odokit.tasks import bind, query_parameters
from odokit.testbeds import TestBed
from odokit.testbeds.verify import collect_writes, verify

# The first test installs the application, which takes minutes on a busy machine.
pytestmark = [pytest.mark.testbed, pytest.mark.timeout(1500)]
TESTBED = "vendure"

ROOT = Path(__file__).parents[2]
QUICK = (
    "create_product_1",
    "change_stock_2",
    "add_to_group_3",
    "create_tax_rate_4",
    "add_country_5",
    "add_order_note_6",
)
SLOW = (
    "edit_description_7",
    "change_price_8",
    "create_facet_9",
    "add_facet_value_1",
    "create_collection_2",
    "create_customer_3",
    "create_promotion_4",
    "create_role_5",
    "change_delivery_price_6",
)
CUSTOMERS = "SELECT count(*) FROM customer"


def test_it_is_up_and_says_so(testbed: TestBed) -> None:
    status = testbed.status()
    assert status.installed
    assert status.provisioned
    assert status.running
    assert status.url == testbed.base_url
    assert status.disk_mb > 100
    assert status.memory_mb > 50
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


async def test_a_mutation_that_the_shop_refuses_is_a_failure_though_its_status_is_200(
    testbed: TestBed, browser: Browser
) -> None:
    template, instance = testbed.tasks().find("create_customer_0")
    ((taken,),) = testbed.query("SELECT emailAddress FROM customer ORDER BY id LIMIT 1", {})
    instance = instance.model_copy(update={"values": {**instance.values, "email": taken}})
    key = bind(template, instance, testbed.query)
    parameters = query_parameters(template, instance, testbed.query)
    context = await new_context(
        browser,
        storage_state=await testbed.sign_in(browser, template.role),
        allowed_origins=testbed.allowed_origins,
    )
    context.set_default_timeout(8_000)
    async with collect_writes(context, testbed) as recorder:
        page = await context.new_page()
        await page.goto(testbed.start_url(template.role))
        with pytest.raises(PlaywrightError, match="Created new Customer"):
            await testbed.oracles[template.id](page, instance.values)
    await context.close()
    verdict = evaluate(
        key, recorder.trajectory().events, query=testbed.query, parameters=parameters
    )
    assert not verdict.is_success
    assert not verdict.network_ok
    assert not verdict.database_ok
    assert "the mutation was refused in the response body" in verdict.explain()
    assert " 200 " in verdict.explain()


@pytest.mark.parametrize("role", ["admin", "clerk"])
async def test_a_session_is_private_and_outlives_a_reset(
    testbed: TestBed, browser: Browser, role: str
) -> None:
    path = await testbed.sign_in(browser, role)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_text()
    testbed.reset()
    assert await testbed.sign_in(browser, role) == path
    assert path.read_text() == before
    context = await new_context(
        browser, storage_state=path, allowed_origins=testbed.allowed_origins
    )
    page = await context.new_page()
    await page.goto(testbed.start_url(role))
    await page.get_by_role("table").wait_for()
    assert page.url == testbed.start_url(role)
    await context.close()


async def test_the_clerk_is_not_offered_the_settings(testbed: TestBed, browser: Browser) -> None:
    state = await testbed.sign_in(browser, "clerk")
    context = await new_context(
        browser, storage_state=state, allowed_origins=testbed.allowed_origins
    )
    page = await context.new_page()
    await page.goto(testbed.start_url("clerk"))
    await page.get_by_role("link", name="Orders Orders", exact=True).wait_for()
    await expect(page.get_by_role("link", name="Promotions Promotions")).to_have_count(0)
    await context.close()


async def test_what_was_left_behind_is_told_and_a_reset_undoes_it(
    testbed: TestBed, browser: Browser
) -> None:
    testbed.reset()
    ((n_before,),) = testbed.query(CUSTOMERS, {})
    state = await testbed.sign_in(browser, "clerk")
    context = await new_context(
        browser, storage_state=state, allowed_origins=testbed.allowed_origins
    )
    page = await context.new_page()
    await page.goto(testbed.start_url("clerk"))
    _, instance = testbed.tasks().find("create_customer_9")
    await testbed.oracles["create_customer"](page, instance.values)
    assert testbed.query(CUSTOMERS, {}) == [(n_before + 1,)]
    assert any(line.startswith("customer: 1 row added") for line in testbed.dirty())
    assert testbed.reset() < 3
    assert testbed.dirty() == []
    assert testbed.query(CUSTOMERS, {}) == [(n_before,)]
    await page.goto(testbed.start_url("clerk"))
    await page.get_by_role("table").wait_for()
    await expect(page.get_by_text(instance.values["email"])).to_have_count(0)
    await context.close()


async def test_nothing_offsite_is_asked_for(testbed: TestBed, browser: Browser) -> None:
    asked: set[str] = set()
    context = await new_context(browser)
    page = await context.new_page()
    page.on("request", lambda request: asked.add(request.url))
    await page.goto(f"{testbed.base_url}/admin/login")
    await page.get_by_placeholder("Username").wait_for()
    await page.wait_for_load_state("networkidle")
    await context.close()
    own = (testbed.base_url, "data:", "blob:")
    assert [url for url in asked if not url.startswith(own)] == []


def test_only_one_run_may_use_it(testbed: TestBed) -> None:
    with testbed.reserve(), pytest.raises(TestBedError, match="used by another run"):
        testbed.up()


def test_queries_cannot_change_anything(testbed: TestBed) -> None:
    with pytest.raises(TestBedError, match="readonly"):
        testbed.query("DELETE FROM customer", {})
