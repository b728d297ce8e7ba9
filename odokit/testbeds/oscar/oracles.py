"""How a person performs each task template of the shop, by template id."""

from __future__ import annotations

from collections.abc import Mapping

from odokit.testbeds.base import Oracle
from odokit.testbeds.oscar.oracles_catalogue import (
    create_category,
    create_page,
    create_product,
    create_product_type,
    edit_description,
)
from odokit.testbeds.oscar.oracles_selling import (
    change_line_status,
    create_offer,
    create_range,
    create_voucher,
    moderate_review,
    supplier_address,
)
from odokit.testbeds.oscar.oracles_shop import (
    add_address,
    add_to_basket,
    place_order,
    write_review,
)

ORACLES: Mapping[str, Oracle] = {
    "add_address": add_address,
    "add_to_basket": add_to_basket,
    "change_line_status": change_line_status,
    "create_category": create_category,
    "create_offer": create_offer,
    "create_page": create_page,
    "create_product": create_product,
    "create_product_type": create_product_type,
    "create_range": create_range,
    "create_voucher": create_voucher,
    "edit_description": edit_description,
    "moderate_review": moderate_review,
    "place_order": place_order,
    "supplier_address": supplier_address,
    "write_review": write_review,
}
"""The oracle of each template in `tasks.yaml`."""
