"""`python -m pagehand`."""

from pagehand.cli import main

main()
