"""`python -m odokit` is the `odokit` command."""

from odokit.cli import main

main()
