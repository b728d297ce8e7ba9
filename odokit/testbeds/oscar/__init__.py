"""The django-oscar test bed: a shop of server-rendered forms, with a dashboard for its staff."""
