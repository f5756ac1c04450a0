"""``python -m netdesign``."""

from netdesign.cli import main

main()
