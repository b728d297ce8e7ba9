"""Describe an element of a stored page as the recorder describes one of a live page.

Of a page that is not live an xpath and HTML are known; role, name and landmarks are derived here by
the rules of the script in the page, as far as HTML without style sheets tells: what a style sheet
hides counts as shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from selectolax.lexbor import LexborNode

from odokit.dom import Document
from odokit.events import Element

KEPT = (
    "id name type href value role title alt placeholder for aria-label aria-checked aria-expanded "
    "aria-haspopup data-testid contenteditable"
).split()
INTERACTIVE_TAGS = frozenset("button input select textarea summary option label".split())
INTERACTIVE_ROLES = frozenset(
    "button link menuitem menuitemradio menuitemcheckbox option tab checkbox radio switch treeitem "
    "combobox".split()
)
REGIONS = frozenset(
    "main navigation complementary dialog alertdialog form region group radiogroup menu listbox "
    "tabpanel toolbar tablist banner contentinfo search".split()
)
WEAK_REGIONS = frozenset({"form", "group", "region"})
ROLES = {
    "button": "button", "select": "combobox", "textarea": "textbox", "nav": "navigation",
    "main": "main", "section": "region", "aside": "complementary", "dialog": "dialog",
    "form": "form", "table": "table", "tr": "row", "td": "cell", "th": "columnheader",
    "ul": "list", "ol": "list", "li": "listitem", "option": "option", "summary": "button",
    "img": "img", "fieldset": "group", "h1": "heading", "h2": "heading", "h3": "heading",
    "h4": "heading", "header": "banner", "footer": "contentinfo",
}  # fmt: skip
INPUT_ROLES = {
    "checkbox": "checkbox", "radio": "radio", "button": "button", "submit": "button",
    "reset": "button", "image": "button", "range": "slider", "number": "spinbutton",
    "search": "searchbox", "file": "file", "hidden": "",
}  # fmt: skip
NO_TEXT_INPUTS = frozenset("checkbox radio button submit reset image file hidden color".split())
BLOCKS = frozenset(
    "address article aside blockquote br dd details dialog div dl dt fieldset figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section table tbody td tfoot "
    "th thead tr ul".split()
)
UNSEEN = frozenset("script style noscript template".split())
MAX_TEXT = 200
MAX_HTML = 2000


def fold(text: str, limit: int = MAX_TEXT) -> str:
    """Text with white space folded, cut to a length."""
    return " ".join(text.split())[:limit]


@dataclass(frozen=True, eq=False)
class Page:
    """A stored page, and who in it refers to whom."""

    document: Document
    """Its tree."""

    def find(self, xpath: str) -> Place | None:
        """The element at an absolute xpath, None when there is none."""
        index = self.document.find(xpath)
        return None if index is None else Place(self, index)

    @cached_property
    def by_id(self) -> dict[str, int]:
        """Position of the first element of each id."""
        found: dict[str, int] = {}
        for index, node in enumerate(self.document.nodes):
            own = node.attributes.get("id")
            if own:
                found.setdefault(own, index)
        return found

    @cached_property
    def labels(self) -> dict[int, list[int]]:
        """Positions of the labels of each control."""
        found: dict[int, list[int]] = {}
        for index, tag in enumerate(self.document.tags):
            if tag == "label":
                control = self._control(Place(self, index))
                if control is not None:
                    found.setdefault(control, []).append(index)
        return found

    def _control(self, label: Place) -> int | None:
        if "for" in label.attributes:
            return self.by_id.get(label.get("for"))
        inner = label.inside("input", "select", "textarea", "button")
        return inner[0].index if inner else None


@dataclass(frozen=True)
class Place:
    """An element of a stored page."""

    page: Page
    """The page."""
    index: int
    """Position of the element in it."""

    @property
    def document(self) -> Document:
        """The page's tree."""
        return self.page.document

    @property
    def node(self) -> LexborNode:
        """The parsed node."""
        return self.document.nodes[self.index]

    @property
    def tag(self) -> str:
        """Lower-case tag name."""
        return self.document.tags[self.index]

    @property
    def xpath(self) -> str:
        """Absolute xpath."""
        return self.document.xpath(self.index)

    @property
    def parent(self) -> Place | None:
        """The element around it."""
        above = int(self.document.parent[self.index])
        return Place(self.page, above) if above >= 0 else None

    @cached_property
    def attributes(self) -> dict[str, str]:
        """All attributes; one without a value has the empty text."""
        return {key: value or "" for key, value in self.node.attributes.items()}

    def get(self, name: str) -> str:
        """An attribute, empty when it is missing."""
        return self.attributes.get(name, "")

    def lineage(self) -> list[Place]:
        """The element and all around it, innermost first."""
        found: list[Place] = []
        place: Place | None = self
        while place is not None:
            found.append(place)
            place = place.parent
        return found

    def inside(self, *tags: str) -> list[Place]:
        """Elements of some tags below it, in document order."""
        return [p for p in self.below() if p.tag in tags]

    def below(self) -> list[Place]:
        """All elements in it, in document order."""
        found: list[Place] = []
        todo = [*reversed(self.document.children[self.index])]
        while todo:
            index = todo.pop()
            found.append(Place(self.page, index))
            todo += reversed(self.document.children[index])
        return found

    def text(self, without: frozenset[str] = UNSEEN) -> str:
        """Text as a reader sees it: parts that stand in lines of their own are apart."""
        parts: list[str] = []
        _collect(self.node, parts, without)
        return fold("".join(parts))


def _collect(node: LexborNode, parts: list[str], without: frozenset[str]) -> None:
    for child in node.iter(include_text=True):
        tag = child.tag or ""
        if tag == "-text":
            parts.append(child.text_content or "")
        elif tag not in without and not tag.startswith("-"):
            gap = " " if tag in BLOCKS else ""
            parts.append(gap)
            _collect(child, parts, without)
            parts.append(gap)


def describe(place: Place, rendered: str = "") -> Element:
    """Describe an element: role, name, text, attributes, landmarks.

    Args:
        place: The element.
        rendered: Its text as the browser drew it, when that is known.
    """
    text, name = visible_text(place), name_of(place)
    # A style sheet may draw text in capitals; what was written is the steadier name.
    if rendered and fold(rendered).lower() != text.lower():
        name = fold(rendered) if name == text else name
        text = fold(rendered)
    return Element(
        tag=place.tag,
        xpath=place.xpath,
        role=role_of(place),
        name=name,
        text=text,
        attributes=_kept_attributes(place),
        landmarks=landmarks_of(place),
        shadow=_shadow_hosts(place),
        html=(place.node.html or "")[:MAX_HTML],
    )


def find_interactive(place: Place) -> Place:
    """What a click on an element is about: the nearest control around it, else a row or itself."""
    lineage = place.lineage()
    for around in lineage:
        if _is_interactive(around):
            return around
    rows = (p for p in lineage if p.tag in ("li", "td", "tr") or "tabindex" in p.attributes)
    return next(rows, place)


def is_text_field(place: Place) -> bool:
    """Whether text is typed into it."""
    if place.tag == "input":
        return place.get("type").lower() not in NO_TEXT_INPUTS
    return place.tag == "textarea" or _is_editable(place)


def role_of(place: Place) -> str:
    """Explicit or implicit ARIA role."""
    own = place.get("role").split(" ")[0]
    if own:
        return own
    if place.tag == "input":
        return INPUT_ROLES.get(place.get("type").lower(), "textbox")
    if place.tag == "a":
        return "link" if "href" in place.attributes else ""
    if place.get("contenteditable") in ("true", "plaintext-only"):
        return "textbox"
    return ROLES.get(place.tag, "")


def name_of(place: Place) -> str:
    """Accessible name, as a screen reader would say it."""
    is_drawn = place.get("role") == "combobox" and place.tag not in ("input", "select", "button")
    if is_drawn:
        return fold(place.get("aria-label")) or _beside_label(place)
    said = _by_ids(place) or fold(place.get("aria-label"))
    if said:
        return said
    if place.tag == "input" and place.get("type").lower() in ("submit", "button", "reset"):
        return fold(place.get("value")) or place.get("title")
    if place.tag in ("input", "select", "textarea") or _is_editable(place):
        labels = [text for label in _labels(place) if (text := label_text(label))]
        return fold(" ".join(labels) or place.get("title") or place.get("placeholder"))
    return visible_text(place) or fold(place.get("alt") or place.get("title"))


def visible_text(place: Place) -> str:
    """Text of an element, else what a labelled picture in it stands for."""
    text = place.text()
    if text:
        return text
    for inner in place.below():
        for name in ("aria-label", "alt", "title"):
            if name in inner.attributes:
                said = (inner.get("aria-label"), inner.get("alt"), inner.get("title"))
                return fold(next(filter(None, said), ""))
    return ""


def label_text(label: Place) -> str:
    """What a label says beside the control it may hold."""
    return label.text(UNSEEN | {"select", "textarea"})


def _is_interactive(place: Place) -> bool:
    if place.tag == "a":
        return "href" in place.attributes or place.get("role") in INTERACTIVE_ROLES
    return (
        place.tag in INTERACTIVE_TAGS
        or place.get("role") in INTERACTIVE_ROLES
        or "onclick" in place.attributes
    )


def _is_editable(place: Place) -> bool:
    for around in place.lineage():
        if "contenteditable" in around.attributes:
            return around.get("contenteditable").lower() != "false"
    return False


def _labels(place: Place) -> list[Place]:
    return [Place(place.page, index) for index in place.page.labels.get(place.index, ())]


def _beside_label(place: Place) -> str:
    for around in place.lineage()[1:4]:
        for control in around.inside("select", "input"):
            labels = _labels(control)
            if labels:
                return label_text(labels[0])
        inner = around.inside("label")
        if inner:
            return label_text(inner[0])
    return ""


def _by_ids(place: Place) -> str:
    known = place.page.by_id
    others = [known[i] for i in place.get("aria-labelledby").split() if i in known]
    return fold(" ".join(fold(place.document.text(other)) for other in others))


def _region_name(place: Place, kind: str) -> str:
    own = _by_ids(place) or fold(place.get("aria-label"))
    if own:
        return own
    if place.tag == "fieldset":
        legends = place.inside("legend")
        return fold(legends[0].node.text(), 80) if legends else ""
    if "dialog" in kind:
        headings = [
            p for p in place.below() if p.tag in ("h1", "h2", "h3") or p.get("role") == "heading"
        ]
        return fold(headings[0].node.text(), 80) if headings else ""
    return ""


def landmarks_of(place: Place) -> tuple[str, ...]:
    """Named regions from the document down, as `role:name`."""
    found: list[str] = []
    for around in place.lineage()[1:]:
        kind = role_of(around)
        if kind not in REGIONS:
            continue
        name = _region_name(around, kind)
        # An unnamed form, group or region is no landmark: redesigns add and drop them freely.
        if name or kind not in WEAK_REGIONS:
            found.append(f"{kind}:{name}")
    return tuple(reversed(found))


def _shadow_hosts(place: Place) -> tuple[str, ...]:
    roots = [p for p in place.lineage() if p.tag == "odo-shadow"]
    return tuple(p.parent.xpath for p in reversed(roots) if p.parent is not None)


def _kept_attributes(place: Place) -> dict[str, str]:
    hides_value = is_text_field(place)
    return {
        key: place.get(key)[:300]
        for key in KEPT
        if place.get(key) and not (key == "value" and hides_value)
    }
