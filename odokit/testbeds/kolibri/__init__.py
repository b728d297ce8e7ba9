"""Kolibri, a learning platform with three roles, a single-page interface and a REST API."""
