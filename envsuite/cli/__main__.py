"""``python -m envsuite.cli``."""

from envsuite.cli import main

main()
