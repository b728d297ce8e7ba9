"""Addresses: what varies in them, and the template that says which page they are of."""

from odokit.urls.addresses import Places, observe, origin, slugify
from odokit.urls.patterns import FORMS, PRESETS, UrlPattern, preset, read_patterns
from odokit.urls.templates import Segment, UrlTemplates

__all__ = [
    "FORMS",
    "PRESETS",
    "Places",
    "Segment",
    "UrlPattern",
    "UrlTemplates",
    "observe",
    "origin",
    "preset",
    "read_patterns",
    "slugify",
]
