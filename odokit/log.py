"""Logging: one call to `configure` at an entry point, never on import."""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Iterator
from contextlib import contextmanager

_CONTEXT: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("odokit", default=())


class _ContextFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.context = "/".join(_CONTEXT.get()) or "-"
        return True


def configure(level: str = "WARNING") -> None:
    """Send odokit's log lines to standard error, each with its run, trajectory and step ids."""
    handler = logging.StreamHandler()
    handler.addFilter(_ContextFilter())
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(levelname)s %(name)s [%(context)s] %(message)s")
    )
    logger = logging.getLogger("odokit")
    logger.handlers[:] = [handler]
    logger.setLevel(level)


@contextmanager
def context(*ids: str) -> Iterator[None]:
    """Add ids (run, trajectory, step) to every line logged inside the block."""
    token = _CONTEXT.set((*_CONTEXT.get(), *ids))
    try:
        yield
    finally:
        _CONTEXT.reset(token)
