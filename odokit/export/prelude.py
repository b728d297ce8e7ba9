"""What every generated script begins and ends with."""

IMPORTS = """import json
import os
import re
from contextlib import ExitStack, contextmanager
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect, sync_playwright
"""

FUNCTIONS = '''
class _Any:
    """Equal to everything: what another run sends otherwise."""

    def __eq__(self, other):
        return True

    __hash__ = None


ANY = _Any()


def secret(name):
    """A secret that was left out of the recording, from the environment."""
    key = "ODOKIT_SECRET_" + re.sub(r"\\W+", "_", name).upper()
    if key not in os.environ:
        raise RuntimeError(f"the script types the secret {name}: set {key}.")
    return os.environ[key]


def exactly(text):
    """A pattern for an element whose text is this and no more."""
    return re.compile(r"^\\s*" + re.escape(text) + r"\\s*$")


def sent(request):
    """What a request carries: JSON, form fields, or nothing that can be compared."""
    text = request.post_data or ""
    if "x-www-form-urlencoded" in request.headers.get("content-type", ""):
        fields = parse_qs(text, keep_blank_values=True)
        return {key: items[0] if len(items) == 1 else items for key, items in fields.items()}
    try:
        return json.loads(text)
    except ValueError:
        return None


def holds(actual, expected):
    """Whether what was sent has all that is expected, and maybe more."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(key in actual and holds(actual[key], expected[key]) for key in expected)
    if isinstance(expected, list) and isinstance(actual, list):
        return len(actual) == len(expected) and all(map(holds, actual, expected))
    return expected == actual or str(expected) == str(actual)


@contextmanager
def writes(context, *expected):
    """Wait for requests that are sent meanwhile; check that they carry what they must."""
    with ExitStack() as stack:
        answers = [
            stack.enter_context(context.expect_event("response", _is_answer_to(*write[:3])))
            for write in expected
        ]
        yield
    for answer, (method, path, _, body) in zip(answers, expected):
        response = answer.value
        assert response.status < 400, f"{method} {path} was answered {response.status}"
        actual = sent(response.request)
        assert holds(actual, body), f"{method} {path} carried {actual}, expected {body}"


def _is_answer_to(method, path, operation):
    def is_answer(response):
        request = response.request
        body = sent(request) if request.method != "GET" else None
        override = body.get("_method") if isinstance(body, dict) else None
        return (
            (override or request.method).upper() == method
            and re.fullmatch(path, urlsplit(request.url).path) is not None
            # A batch names its operations joined by a plus; what holds a file is not shown.
            and all(one in (request.post_data or one) for one in operation.split("+"))
        )

    return is_answer


def toggle(control, state, beside=None):
    """Bring a checkbox, switch or radio button into a state."""
    if control.is_checked() != state:
        (beside or control).click()
    expect(control).to_be_checked(checked=state)


def write(editor, text):
    """Fill an editor; one that draws its text itself is written over as a person would."""
    if editor.evaluate("el => el.isContentEditable || 'value' in el"):
        editor.fill(text)
    else:
        editor.click()
        editor.page.keyboard.press("ControlOrMeta+A")
        editor.page.keyboard.insert_text(text)


def drag(page, source, target, across, down):
    """Drag something to a place in another, given as shares of its width and height."""
    source.hover()
    page.mouse.down()
    for step_back in (2, 0):  # pages may make room for it once it hovers over its place
        box = target.bounding_box()
        x, y = box["x"] + box["width"] * across, box["y"] + box["height"] * down
        page.mouse.move(x - step_back, y, steps=8)
    page.mouse.up()


def answer_dialogs(page, *answers):
    """Answer the dialogs that come next as the person did: a text, True or False each."""
    remaining = list(answers)

    def answer(dialog):
        reply = remaining.pop(0)
        if remaining:
            page.once("dialog", answer)
        if reply is False:
            dialog.dismiss()
        else:
            dialog.accept(*([] if reply is True else [reply]))

    page.once("dialog", answer)


def tab(context, number):
    """A page by the order of opening."""
    while len(context.pages) <= number:
        context.wait_for_event("page")
    return context.pages[number]


'''

MAIN = """

if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("ODOKIT_BROWSER"))
        {name}(browser.new_page())
        browser.close()
"""
