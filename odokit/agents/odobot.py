"""OdoBot: plan a task over the behaviour model, then carry it out.

Source: paper, section IV.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from odokit.decide import Decider
from odokit.errors import (
    GuardError,
    LLMError,
    LocatorNotFound,
    OdokitError,
    PlanError,
    SecretNotFound,
    SiteError,
)
from odokit.execute import Episode, Executor, Guard, Limits, Outcome
from odokit.llm.ledger import Ledger
from odokit.navmodel import NavModel
from odokit.plan import Plan, make_plan
from odokit.record import Recorder
from odokit.secrets import Secrets, system_secrets

logger = logging.getLogger(__name__)


@dataclass
class OdoBot:
    """An agent that knows an application by its behaviour model.

    Attributes:
        model: The behaviour model.
        new_decider: Makes the deciders of one episode, with a fresh log.
        ledger: Where the deciders' model calls are recorded.
        allowed_origins: Where the browser may go.
        secrets: Fills secret placeholders at run time.
        limits: Most an episode may use.
        uploads: The one folder from which files may be given to pages.
    """

    model: NavModel
    new_decider: Callable[[], Decider]
    ledger: Ledger = field(default_factory=Ledger)
    allowed_origins: Collection[str] = ()
    secrets: Secrets = field(default_factory=system_secrets)
    limits: Limits = field(default_factory=Limits)
    uploads: Path | None = None
    name: str = "odobot"

    async def run(self, task: str, page: Page, recorder: Recorder) -> Episode:
        """Execute a task from where the page is; what happens on the page ends in an outcome."""
        began = time.monotonic()
        prompt, completion = self.ledger.tokens_prompt, self.ledger.tokens_completion
        decider = self.new_decider()
        guard = Guard(self.model, self.allowed_origins, self.limits)
        executor = Executor(page, recorder, self.model, decider, guard, self.secrets, self.uploads)
        plan: Plan | None = None
        try:
            plan = await make_plan(task, page.url, self.model, decider)
            await guard.watch(page.context, plan)
            await executor.run(plan)
            outcome, reason = Outcome.SUCCESS, "all target writes were observed"
        except OdokitError as error:
            outcome, reason = outcome_of(error), recorder.hide(str(error))
        except PlaywrightError as error:
            outcome, reason = Outcome.ERROR, recorder.hide(f"browser: {str(error).splitlines()[0]}")
        finally:
            await guard.release(page.context)
        if guard.blocked and outcome is not Outcome.SUCCESS:
            reason += f" The guard stopped {', '.join(guard.blocked)}."
        logger.info("%s: %s", outcome, reason)
        return Episode(
            task=task,
            outcome=outcome,
            reason=reason,
            trajectory_id=plan.trajectory_id if plan else "",
            steps=tuple(executor.steps),
            decisions=tuple(decider.log.rows),
            n_replans=executor.n_replans,
            tokens_prompt=self.ledger.tokens_prompt - prompt,
            tokens_completion=self.ledger.tokens_completion - completion,
            seconds=round(time.monotonic() - began, 3),
            blocked=tuple(guard.blocked),
        )


def outcome_of(error: OdokitError) -> Outcome:
    """Whose fault an error is: not decided, the site's or harness's, else the agent's."""
    if isinstance(error, (PlanError, LocatorNotFound, GuardError, SecretNotFound)):
        return Outcome.ABSTAINED
    if isinstance(error, (SiteError, LLMError)):
        return Outcome.ERROR
    return Outcome.FAILURE
