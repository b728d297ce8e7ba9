"""Every error odokit raises on purpose.

    OdokitError
    ├── ConfigError             a setting is unknown or malformed
    ├── BrowserError            no browser, or it could not be driven
    ├── RecordError             a recording could not be made, read or written
    ├── StoreError              the workspace file cannot be used
    │   ├── StoreLockedError    another process has it open for writing
    │   └── SchemaError         it was written by a newer or foreign version
    ├── NavModelError           a behaviour model cannot be built or found
    ├── LLMError                the language model endpoint failed
    │   ├── LLMNotConfigured    a policy needs a model and there is no key
    │   ├── LLMFormatError      the reply does not fit its schema
    │   └── BudgetError         the call would exceed its token budget
    ├── TaskError               a task file or instance is malformed
    ├── PlanError               a task cannot be turned into a plan
    │   ├── NoPathError         no way from here to the target
    │   └── UndecidedError      a choice stayed below its threshold: abstain
    ├── ExecuteError            a plan could not be carried out
    │   ├── LocatorNotFound     no element fits, or too many do
    │   ├── ActionTimeout       an expected effect did not come
    │   ├── GuardError          the guard forbade the action
    │   ├── SecretNotFound      a step types a secret that is not known here
    │   └── SiteError           the application is down or answered 5xx
    ├── EvaluateError           an answer key cannot be judged
    ├── ReportError             results cannot be summarised or shown
    ├── ExportError             a recording cannot be written for another tool
    ├── TestBedError            a test bed cannot be installed, started or reset
    └── StudyError              a notebook run cannot be started or failed

A message says what was tried, on what, and what to do about it.
"""

from __future__ import annotations


class OdokitError(Exception):
    """Base of every deliberate error; its text is meant for the user."""


class ConfigError(OdokitError):
    """A setting is unknown or malformed."""


class BrowserError(OdokitError):
    """No usable browser was found, or it could not be driven."""


class RecordError(OdokitError):
    """A recording could not be made, read or written."""


class StoreError(OdokitError):
    """The workspace file cannot be used."""


class StoreLockedError(StoreError):
    """Another process has the workspace open for writing."""


class SchemaError(StoreError):
    """The workspace was written by a newer or foreign version."""


class NavModelError(OdokitError):
    """A behaviour model cannot be built or found."""


class LLMError(OdokitError):
    """The language model endpoint failed."""


class LLMNotConfigured(LLMError):
    """A policy needs a language model and no key is configured."""


class LLMFormatError(LLMError):
    """A reply does not fit the schema it was asked for."""


class BudgetError(LLMError):
    """A call would exceed its token budget."""


class TaskError(OdokitError):
    """A task file or a task instance is malformed."""


class PlanError(OdokitError):
    """A task cannot be turned into a plan."""


class NoPathError(PlanError):
    """The model knows no way from the current location to the target."""


class UndecidedError(PlanError):
    """A decision stayed below its threshold; the agent abstains with this reason."""


class ExecuteError(OdokitError):
    """A plan could not be carried out."""


class LocatorNotFound(ExecuteError):
    """No element fits the fingerprint well enough, or several fit equally."""


class ActionTimeout(ExecuteError):
    """An expected effect of an action did not come in time."""


class GuardError(ExecuteError):
    """The guard forbade an action before it happened."""


class SecretNotFound(ExecuteError):
    """A step types a secret that is not known on this machine."""


class SiteError(ExecuteError):
    """The application is down or answered with a server error."""


class EvaluateError(OdokitError):
    """An answer key cannot be judged."""


class ReportError(OdokitError):
    """Results cannot be summarised or shown."""


class ExportError(OdokitError):
    """A recording cannot be written for another tool."""


class TestBedError(OdokitError):
    """A test bed cannot be installed, started or reset."""

    __test__ = False  # pytest would collect a class of this name


class StudyError(OdokitError):
    """A notebook run cannot be started or failed."""
