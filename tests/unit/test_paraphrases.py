"""Paraphrases say the same as their template: every slot once, three wordings a style."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from odokit.errors import TaskError
from odokit.paraphrases import STYLES, Paraphrases, Style, read_paraphrases, template_text
from odokit.tasks import TaskFile

TASKS = TaskFile.model_validate(
    {
        "app": "school",
        "templates": [
            {
                "id": "rename",
                "role": "admin",
                "text": "Rename {old} to {new}.",
                "expect": {"writes": [{"method": "POST", "path": "/x/"}]},
                "instances": [
                    {"id": "rename_1", "use": "execute", "values": {"old": "Latin", "new": "Greek"}}
                ],
            }
        ],
    }
)
GOOD = {style: [f"{style} {n}: {{new}} for {{old}}" for n in range(3)] for style in STYLES}


def read(tmp_path: Path, data: object) -> Paraphrases:
    path = tmp_path / "paraphrases.yaml"
    path.write_text(yaml.safe_dump(data))
    return read_paraphrases(path, TASKS)


@pytest.mark.parametrize("style", STYLES)
def test_wordings_are_found_by_style_and_number(tmp_path: Path, style: Style) -> None:
    found = read(tmp_path, {"rename": GOOD})
    template, instance = TASKS.find("rename_1")
    wording = template_text(template, found, style=style, n=4)
    assert wording == f"{style} 1: {{new}} for {{old}}"
    assert template.instance_text(instance, wording=wording) == f"{style} 1: Greek for Latin"
    with pytest.raises(TaskError, match="no paraphrase of template 'rename'"):
        template_text(template, Paraphrases({}), style=style, n=0)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "must map template ids"),
        ({}, "lacks template rename"),
        ({"rename": GOOD, "move": GOOD}, "unknown template move"),
        ({"rename": {"casual": GOOD["casual"]}}, "template rename: give the styles"),
        ({"rename": {**GOOD, "formal": "x"}}, "style formal: give a list"),
        ({"rename": {**GOOD, "formal": GOOD["formal"][:2]}}, "style formal: give at least 3"),
        ({"rename": {**GOOD, "messy": GOOD["messy"][:1] * 3}}, "style messy: give at least 3"),
        ({"rename": {**GOOD, "messy": [*GOOD["messy"], "{old}"]}}, "wording 4: every slot of old"),
        (
            {"rename": {**GOOD, "casual": [*GOOD["casual"], "{old} {old} {new}"]}},
            "style casual, wording 4: .*'old': 2",
        ),
    ],
)
def test_a_fault_is_named_by_template_and_style(
    tmp_path: Path, data: object, complaint: str
) -> None:
    with pytest.raises(TaskError, match=complaint):
        read(tmp_path, data)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"absent\.yaml cannot be read"):
        read_paraphrases(tmp_path / "absent.yaml", TASKS)
