"""What kind of act a task asks for: two tasks about the same things may be opposites.

"Remove Ann from the class" is worded almost like "Enrol Ann in the class", so likeness of wording
must never decide alone. Verbs are put into classes; a task may only follow a demonstration whose
classes cover its own, and whose words cover the things it names.
"""

from __future__ import annotations

import re

from odokit.retrieve import mask_values

ACTIONS: dict[str, str] = {
    "create": "creat* add adds added adding make new set·up setup establish* build start·a open·a "
    "write·a post·a compose draft",
    "delete": "delet* remov* drop eras* discard* cancel* withdraw* get·rid unenrol* unsubscrib* "
    "leave clear trash revok*",
    "change": "chang* renam* edit* updat* modif* correct* replac* adjust* revis*",
    "on": "turn·on switch·on enabl* activat* allow* tick",
    "off": "turn·off switch·off disabl* deactivat* forbid* disallow* untick stop*",
    "show": "visible publish* show reveal* display",
    "hide": "invisible not·visible hide hidden hiding unpublish*",
    "copy": "copy copies copied duplicat* clon*",
    "join": "enrol* assign* join* regist* subscrib* invit*",
    "move": "move moved moving reorder* rearrang* sort",
    "submit": "submit* hand·in turn·in upload*",
    "reply": "reply replies replied respond* answer* comment*",
    "mark": "mark* flag* bookmark* favourite* favorite* star pin",
    "archive": "archiv* close closed closing lock*",
    "restore": "restor* undo undelet* reopen* unlock* recover*",
    "reset": "reset*",
}
"""Classes of acts by the words that name them: `*` ends a stem, `·` joins words that may be parted
("turn the setting off")."""


def _pattern(words: str) -> re.Pattern[str]:
    parts = (
        re.escape(w).replace(r"\*", r"\w*").replace("·", r"(?: \S+){0,6}? ") for w in words.split()
    )
    return re.compile(rf"\b(?:{'|'.join(parts)})\b", re.IGNORECASE)


_COMPILED = {name: _pattern(words) for name, words in ACTIONS.items()}
_WORD = re.compile(r"[a-z][a-z-]+")
_NOT_CONTENT = frozenset(
    "a an and the to of in on at for with from by as is are be been it its that this these "
    "those so or but if then there their them they he she his her you your yours we us our i me "
    "my mine who which what when where how not no yes do does did done will would could can "
    "should shall may might must need needs want wants like please pls plz kindly hey hi hello "
    "thanks thank just also too very really into onto up out called named titled name title "
    "labelled entitled saying says following have has having get gets give let lets one some "
    "any all each go going put become becomes usual first now".split()
)


def action_classes(text: str) -> frozenset[str]:
    """Classes of the acts a text names, its values left out."""
    masked = mask_values(text)
    found = {name for name, pattern in _COMPILED.items() if pattern.search(masked)}
    # The opposites hold the words of their counterparts.
    for stronger, weaker in (("hide", "show"), ("off", "on")):
        if stronger in found:
            found.discard(weaker)
    return frozenset(found)


def content_words(text: str) -> frozenset[str]:
    """Stems of the words that say what a text is about, without values and acts."""
    masked = mask_values(text).lower()
    for pattern in _COMPILED.values():
        masked = pattern.sub(" ", masked)
    return frozenset(_stem(w) for w in _WORD.findall(masked) if w not in _NOT_CONTENT)


def act_agreement(task: str, demonstrated: str) -> float:
    """How far a demonstration does what a task asks for, by its acts and the things it names.

    Returns:
        0 when the task names an act the demonstration does not do, or none that it does; else the
        share, from 0 to 1, of the things the task names that the demonstration names too.
    """
    asked, done = action_classes(task), action_classes(demonstrated)
    if not asked or not asked <= done:
        return 0.0
    things, known = content_words(task), content_words(demonstrated)
    return len(things & known) / len(things) if things else 1.0


def _stem(word: str) -> str:
    return re.sub(r"(ies|es|s|ing|ed)$", "", word.replace("'s", ""))
