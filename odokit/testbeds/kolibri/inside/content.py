"""Make a content channel in Kolibri without a network; run by Kolibri's own Python.

Channels normally come from an authoring service on the internet. Here topics, exercises of Perseus
questions and HTML5 readings are written through Kolibri's models.
"""

# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import hashlib
import io
import json
import pathlib
import uuid
import zipfile
from typing import Any

from django.utils import timezone
from kolibri.core.content.models import (
    AssessmentMetaData,
    ChannelMetadata,
    ContentNode,
    File,
    Language,
    LocalFile,
)
from kolibri.core.content.utils.annotation import (
    calculate_included_languages,
    set_channel_ancestors,
)
from kolibri.core.content.utils.paths import get_content_storage_file_path
from kolibri.core.content.utils.search import annotate_label_bitmasks
from le_utils.constants.labels.learning_activities import PRACTICE, READ

MASTERY = {"type": "m_of_n", "m": 3, "n": 5}
RADIO = "radio 1"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1><p>{text}</p><p>How was it?</p>
<button type="button">I understood it</button> <button type="button">I have questions</button>
<p role="status"></p>
<script>
for (const button of document.querySelectorAll("button")) {{
  button.addEventListener("click", () => {{
    localStorage.setItem("opinion", button.textContent);
    document.querySelector("[role=status]").textContent = "Noted: " + button.textContent;
  }});
}}
</script></body></html>
"""
EPOCH = (2024, 1, 1, 0, 0, 0)  # fixed, so that the same seed gives the same files


def make_channel(seed: dict[str, Any]) -> dict[str, Any]:
    """Write the whole channel; gives content nodes by title."""
    return _Channel(seed).write()


class _Channel:
    def __init__(self, seed: dict[str, Any]) -> None:
        self.seed = seed
        self.id = self.uid("channel")
        self.language = Language.objects.get_or_create(
            id="en",
            defaults={"lang_code": "en", "lang_name": "English", "lang_direction": "ltr"},
        )[0]
        self.nodes: dict[str, Any] = {}
        self.size = 0

    def uid(self, key: str) -> str:
        return uuid.uuid5(uuid.NAMESPACE_URL, f"{self.seed['name']}/{key}").hex

    def write(self) -> dict[str, Any]:
        # Kolibri looks the root up by the channel's id, so the two must be equal.
        root = self.node("channel", self.seed["name"], "topic", None)
        for order, topic in enumerate(self.seed["topics"], start=1):
            self.topic(order, topic, root)
        n_resources = len(self.nodes)
        ContentNode.objects.filter(id=root.id).update(on_device_resources=n_resources)
        channel = ChannelMetadata.objects.create(
            id=self.id,
            name=self.seed["name"],
            description=self.seed["description"],
            author=self.seed["name"],
            version=1,
            root=root,
            min_schema_version="5",
            last_updated=timezone.now(),
            total_resource_count=n_resources,
            published_size=self.size,
            order=1,
        )
        set_channel_ancestors(self.id)
        calculate_included_languages(channel)
        annotate_label_bitmasks(ContentNode.objects.filter(channel_id=self.id))
        return self.nodes

    def topic(self, order: int, seed: dict[str, Any], root: Any) -> None:
        parent = self.node(seed["title"], seed["title"], "topic", root, sort_order=order)
        resources = [*seed["exercises"], *seed["readings"]]
        for place, resource in enumerate(resources, start=1):
            make = self.exercise if "questions" in resource else self.reading
            self.nodes[resource["title"]] = make(resource, parent, place)
        ContentNode.objects.filter(id=parent.id).update(on_device_resources=len(resources))

    def node(self, key: str, title: str, kind: str, parent: Any, **fields: Any) -> Any:
        return ContentNode.objects.create(
            id=self.uid(key),
            parent=parent,
            title=title,
            kind=kind,
            content_id=self.uid(f"content {key}"),
            channel_id=self.id,
            available=True,
            lang=self.language,
            license_name="CC BY",
            license_owner=self.seed["name"],
            **fields,
        )

    def exercise(self, seed: dict[str, Any], parent: Any, order: int) -> Any:
        title = seed["title"]
        node = self.node(
            title, title, "exercise", parent, sort_order=order, learning_activities=PRACTICE
        )
        items = {
            self.uid(f"{title} {question['text']}"): perseus_item(question)
            for question in seed["questions"]
        }
        index = {"all_assessment_items": list(items), "mastery_model": "m_of_n", "m": 3, "n": 5}
        files = {f"{item}.json": json.dumps(body) for item, body in items.items()}
        self.attach(node, {"exercise.json": json.dumps(index), **files}, "perseus", "exercise")
        AssessmentMetaData.objects.create(
            id=self.uid(f"assessment {title}"),
            contentnode=node,
            assessment_item_ids=list(items),
            number_of_assessments=len(items),
            mastery_model=MASTERY,
            randomize=False,
            is_manipulable=True,
        )
        return node

    def reading(self, seed: dict[str, Any], parent: Any, order: int) -> Any:
        title = seed["title"]
        node = self.node(title, title, "html5", parent, sort_order=order, learning_activities=READ)
        self.attach(node, {"index.html": PAGE.format(**seed)}, "zip", "html5_zip")
        return node

    def attach(self, node: Any, files: dict[str, str], extension: str, preset: str) -> None:
        data = zipped(files)
        digest = hashlib.md5(data).hexdigest()  # Kolibri names its files so
        path = pathlib.Path(get_content_storage_file_path(f"{digest}.{extension}"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self.size += len(data)
        local = LocalFile.objects.get_or_create(
            id=digest,
            defaults={"extension": extension, "available": True, "file_size": len(data)},
        )[0]
        File.objects.create(
            id=self.uid(f"file {node.title}"),
            local_file=local,
            contentnode=node,
            preset=preset,
            lang=self.language,
            priority=1,
        )


def zipped(files: dict[str, str]) -> bytes:
    """Bytes of a zip file with the given texts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), text)
    return buffer.getvalue()


def perseus_item(question: dict[str, Any]) -> dict[str, Any]:
    """A question with one right choice, in the format of Perseus."""
    choices = [
        {"content": text, "correct": place == question["right"]}
        for place, text in enumerate(question["choices"])
    ]
    widget = {
        "type": "radio",
        "alignment": "default",
        "static": False,
        "graded": True,
        "version": {"major": 1, "minor": 0},
        "options": {
            "choices": choices,
            "randomize": False,
            "multipleSelect": False,
            "displayCount": None,
            "hasNoneOfTheAbove": False,
            "onePerLine": True,
            "deselectEnabled": False,
        },
    }
    content = f"{question['text']}\n\n[[☃ {RADIO}]]"
    return {
        "question": {"content": content, "images": {}, "widgets": {RADIO: widget}},
        "answerArea": {"calculator": False},
        "itemDataVersion": {"major": 0, "minor": 1},
        "hints": [],
    }
