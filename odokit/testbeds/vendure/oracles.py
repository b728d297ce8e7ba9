"""How a person performs each task template of the shop, by template id."""

from __future__ import annotations

from collections.abc import Mapping

from odokit.testbeds.base import Oracle
from odokit.testbeds.vendure.oracles_catalogue import (
    add_facet_value,
    change_price,
    change_stock,
    create_collection,
    create_facet,
    create_product,
    edit_description,
)
from odokit.testbeds.vendure.oracles_people import add_order_note, add_to_group, create_customer
from odokit.testbeds.vendure.oracles_rules import (
    add_country,
    change_delivery_price,
    create_promotion,
    create_role,
    create_tax_rate,
)

ORACLES: Mapping[str, Oracle] = {
    "add_country": add_country,
    "add_facet_value": add_facet_value,
    "add_order_note": add_order_note,
    "add_to_group": add_to_group,
    "change_delivery_price": change_delivery_price,
    "change_price": change_price,
    "change_stock": change_stock,
    "create_collection": create_collection,
    "create_customer": create_customer,
    "create_facet": create_facet,
    "create_product": create_product,
    "create_promotion": create_promotion,
    "create_role": create_role,
    "create_tax_rate": create_tax_rate,
    "edit_description": edit_description,
}
"""The oracle of each template in `tasks.yaml`."""
