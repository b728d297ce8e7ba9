"""odokit: demonstrate web tasks, model the application's behaviour, execute new tasks cheaply."""

__version__ = "0.1.0"
