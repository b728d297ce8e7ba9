"""The shop as a WSGI application that serves its static files itself."""

# mypy: disable-error-code="import-not-found"

from __future__ import annotations

from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.wsgi import get_wsgi_application

application = StaticFilesHandler(get_wsgi_application())
