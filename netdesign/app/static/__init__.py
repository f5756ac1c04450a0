"""Scripts of the widgets that pages are made of."""

from pathlib import Path

STATIC = Path(__file__).parent
