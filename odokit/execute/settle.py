"""Wait until a page has come to rest, so that what is about to be clicked will stay.

A person waits until a page looks finished; a program that clicks the first moment a button is there
loses what a late redraw takes away. At rest means: the document is complete, nothing is loading,
and the page has not changed for `QUIET_MS`. Source: field reports on flaky waits.
"""

from __future__ import annotations

import time

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from odokit.record import Recorder

QUIET_MS = 120.0
SETTLE_MS = 4_000.0

_QUIET = """([quiet, limit]) => new Promise(resolve => {
  let timer = setTimeout(look, quiet);
  const end = setTimeout(done, limit);
  const again = () => { clearTimeout(timer); timer = setTimeout(look, quiet); };
  const observer = new MutationObserver(again);
  observer.observe(document, {subtree: true, childList: true});
  function look() { if (document.readyState === 'complete') done(); else again(); }
  function done() { clearTimeout(timer); clearTimeout(end); observer.disconnect(); resolve(); }
})"""


async def settle(page: Page, recorder: Recorder, timeout_ms: float = SETTLE_MS) -> bool:
    """Wait until a page loads nothing and stands still.

    Args:
        page: The live page.
        recorder: Knows what its context is loading.
        timeout_ms: Longest wait in milliseconds; a page that never rests is used as it is.

    Returns:
        Whether it came to rest in time.
    """
    deadline = time.monotonic() + timeout_ms / 1000
    while (left := (deadline - time.monotonic()) * 1000) > 0:
        before = recorder.n_requests
        if not await recorder.wait_idle(timeout_ms=left):
            return False
        try:
            await page.evaluate(_QUIET, [QUIET_MS, max(QUIET_MS, left)])
        except PlaywrightError:
            continue  # it navigated meanwhile
        if recorder.n_requests == before:
            return True
    return False
