"""Other wordings of task templates, so that a task can be given in words no demonstration had.

A paraphrase file maps a template's id to styles, and a style to at least three wordings with the
template's `{parameter}` slots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import yaml

from odokit.errors import TaskError
from odokit.tasks import LOADER, SLOT, TaskFile, TaskTemplate

Style = Literal["casual", "formal", "messy"]
STYLES: tuple[Style, ...] = get_args(Style)
MIN_WORDINGS = 3


@dataclass(frozen=True)
class Paraphrases:
    """The wordings of every template of an application.

    Attributes:
        wordings: Wordings by template id and style.
    """

    wordings: Mapping[str, Mapping[Style, tuple[str, ...]]]


def read_paraphrases(path: Path, tasks: TaskFile) -> Paraphrases:
    """Read a paraphrase file and check it against the task file.

    Args:
        path: The paraphrase file.
        tasks: Templates that must all have wordings.

    Raises:
        TaskError: The file is malformed, lacks a template or wordings, or a wording lacks a slot;
            the message names template and style.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
    except (OSError, yaml.YAMLError) as error:
        raise TaskError(f"{path} cannot be read as YAML: {error}. Mend it.") from error
    if not isinstance(data, dict):
        raise TaskError(f"{path} must map template ids to wordings by style. Mend it.")
    ids = {template.id for template in tasks.templates}
    for wrong, what in ((ids - set(data), "lacks"), (set(data) - ids, "has the unknown")):
        if wrong:
            raise TaskError(f"{path} {what} template {', '.join(sorted(map(str, wrong)))}.")
    return Paraphrases({t.id: _wordings(path, t, data[t.id]) for t in tasks.templates})


def template_text(template: TaskTemplate, paraphrases: Paraphrases, *, style: Style, n: int) -> str:
    """A template's text in other words, slots unfilled; `TaskTemplate.instance_text` fills them.

    Args:
        template: The template.
        paraphrases: Where its wordings are.
        style: Manner of speaking.
        n: Number of the wording, from 0; counted round when there are fewer.

    Raises:
        TaskError: There are no wordings of the template.
    """
    found = paraphrases.wordings.get(template.id)
    if found is None:
        raise TaskError(f"there is no paraphrase of template '{template.id}'; add it to the file.")
    return found[style][n % len(found[style])]


def _wordings(
    path: Path, template: TaskTemplate, styles: object
) -> Mapping[Style, tuple[str, ...]]:
    where = f"{path}, template {template.id}"
    if not isinstance(styles, dict) or set(styles) != set(STYLES):
        raise TaskError(f"{where}: give the styles {', '.join(STYLES)}, and no other.")
    for style, texts in styles.items():
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise TaskError(f"{where}, style {style}: give a list of texts.")
        if len(set(texts) - {template.text}) < max(MIN_WORDINGS, len(texts)):
            raise TaskError(
                f"{where}, style {style}: give at least {MIN_WORDINGS} wordings, all different "
                "from each other and from the template's own."
            )
        for number, text in enumerate(texts, start=1):
            _check_slots(f"{where}, style {style}, wording {number}", template, text)
    return {style: tuple(styles[style]) for style in STYLES}


def _check_slots(where: str, template: TaskTemplate, text: str) -> None:
    counted = Counter(SLOT.findall(text))
    if counted != Counter(template.parameters):
        raise TaskError(
            f"{where}: every slot of {', '.join(template.parameters) or 'the template'} must occur "
            f"exactly once, and no other; found {dict(counted)}."
        )
