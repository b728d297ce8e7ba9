"""Fill an empty shop; run by the shop's own Python, its data comes as JSON on standard input.

The data are the fixed parts of `seed.yaml`, the generated blocks (one collection each, its entities
by kind) and the passwords, so that no password is in a file.
"""

# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import json
import sys
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.management import call_command
from django.db import transaction
from oscar.core.loading import get_class, get_model


def main() -> None:
    """Make accounts, countries and every collection, then the search index."""
    data = json.load(sys.stdin)
    make_tables()
    with transaction.atomic():  # one commit is much faster than thousands
        make_countries(data["countries"])
        accounts = make_accounts(data)
        for address in data["addresses"]:
            make_address("address", "UserAddress", address, user=accounts["customer"])
        for block in data["blocks"]:
            make_collection(block)
    call_command("rebuild_index", interactive=False, verbosity=0)


def make_tables() -> None:
    """Create the tables as they are now; ten years of migrations would take most of the time."""
    settings.MIGRATION_MODULES = {config.label: None for config in apps.get_app_configs()}
    call_command("migrate", run_syncdb=True, interactive=False, verbosity=0)


def make_countries(countries: list[dict[str, str]]) -> None:
    """Create the countries that can be shipped to."""
    for order, country in enumerate(countries):
        get_model("address", "Country").objects.create(
            iso_3166_1_a2=country["code"],
            printable_name=country["name"],
            name=country["name"],
            is_shipping_country=True,
            display_order=len(countries) - order,
        )


def make_accounts(data: dict[str, Any]) -> dict[str, Any]:
    """Create the accounts that tasks are performed with."""
    made = {}
    for role, person in data["accounts"].items():
        made[role] = make_user(person, data["passwords"][role], is_staff=role == "staff")
        # Or looking at a page would make it.
        get_model("basket", "Basket").objects.create(owner=made[role])
    made["staff"].is_superuser = True
    made["staff"].save()
    return made


def make_user(person: dict[str, str], password: str | None, *, is_staff: bool = False) -> Any:
    """Create a user."""
    return get_model("auth", "User").objects.create(
        username=person["email"],
        email=person["email"],
        first_name=person["first_name"],
        last_name=person["last_name"],
        password=make_password(password),
        is_staff=is_staff,
    )


def make_address(app: str, model: str, entry: dict[str, str], **others: Any) -> Any:
    """Create an address of some kind."""
    country = get_model("address", "Country").objects.get(printable_name=entry["country"])
    names = ("first_name", "last_name", "line1", "line4", "postcode")
    fields = {name: entry[name] for name in names}
    return get_model(app, model).objects.create(country=country, **fields, **others)


def make_collection(block: dict[str, Any]) -> None:
    """Create a collection with all that belongs to it."""
    (collection,) = block["collection"]
    root = get_model("catalogue", "Category").add_root(name=collection["name"])
    shelves = {s["name"]: root.add_child(name=s["name"]) for s in block["shelf"]}
    kind = get_model("catalogue", "ProductClass").objects.create(name=collection["product_type"])
    partners = {
        p["name"]: get_model("partner", "Partner").objects.create(name=p["name"])
        for p in block["supplier"]
    }
    products = {
        p["title"]: make_product(p, kind, shelves[p["shelf"]], partners[p["supplier"][0]])
        for p in block["product"]
    }
    for entry in block["range"]:
        make_range(entry, products)
    for entry in block["offer"]:
        make_offer(entry)
    customers = {c["email"]: make_user(c, None) for c in block["customer"]}
    for entry in block["order"]:
        make_order(entry, customers, products)
    for entry in block["review"]:
        make_review(entry, customers, products)
    for entry in block["page"]:
        make_page(entry)


def make_product(entry: dict[str, Any], kind: Any, shelf: Any, partner: Any) -> Any:
    """Create a product that one supplier has in stock."""
    product = get_model("catalogue", "Product").objects.create(
        title=entry["title"],
        upc=entry["upc"],
        description=f"<p>{entry['description']}</p>",
        product_class=kind,
    )
    product.categories.add(shelf)
    get_model("partner", "StockRecord").objects.create(
        product=product,
        partner=partner,
        partner_sku=entry["upc"],
        price=Decimal(entry["price"]),
        num_in_stock=int(entry["stock"]),
    )
    return product


def make_range(entry: dict[str, Any], products: dict[str, Any]) -> None:
    """Create a range of some products."""
    made = get_model("offer", "Range").objects.create(
        name=entry["name"], description=entry["description"]
    )
    for title in entry["products"]:
        made.add_product(products[title])


def make_offer(entry: dict[str, Any]) -> None:
    """Create an offer that a voucher may give: a percentage off a range."""
    chosen = get_model("offer", "Range").objects.get(name=entry["range"])
    condition = get_model("offer", "Condition").objects.create(range=chosen, type="Count", value=1)
    benefit = get_model("offer", "Benefit").objects.create(
        range=chosen, type="Percentage", value=Decimal(entry["percent"])
    )
    get_model("offer", "ConditionalOffer").objects.create(
        name=entry["name"], offer_type="Voucher", condition=condition, benefit=benefit
    )


def make_order(entry: dict[str, Any], customers: dict[str, Any], products: dict[str, Any]) -> None:
    """Place an order as the checkout would."""
    user = customers[entry["customer"]]
    basket = get_model("basket", "Basket").objects.create(owner=user, status="Saved")
    basket.strategy = get_class("partner.strategy", "Selector")().strategy()
    for title in entry["products"]:
        basket.add_product(products[title])
    method = get_class("shipping.methods", "Free")()
    charge = method.calculate(basket)
    total = get_class("checkout.calculators", "OrderTotalCalculator")().calculate(basket, charge)
    person = {"first_name": user.first_name, "last_name": user.last_name}
    order = get_class("order.utils", "OrderCreator")().place_order(
        basket=basket,
        total=total,
        shipping_method=method,
        shipping_charge=charge,
        user=user,
        shipping_address=make_address("order", "ShippingAddress", {**entry, **person}),
        order_number=entry["number"],
        status="Pending",
    )
    basket.submit()
    order.date_placed = datetime.fromisoformat(entry["placed"])
    order.save()


def make_review(entry: dict[str, Any], customers: dict[str, Any], products: dict[str, Any]) -> None:
    """Create a review that waits for moderation."""
    get_model("reviews", "ProductReview").objects.create(
        product=products[entry["product"][0]],
        user=customers[entry["customer"]],
        title=entry["title"],
        body=entry["body"],
        score=int(entry["score"]),
        status=0,
    )


def make_page(entry: dict[str, str]) -> None:
    """Create a page of the shop's own."""
    page = get_model("flatpages", "FlatPage").objects.create(
        url=entry["url"], title=entry["title"], content=f"<p>{entry['content']}</p>"
    )
    page.sites.add(get_model("sites", "Site").objects.get_current())
