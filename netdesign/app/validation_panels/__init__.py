"""Parts of the Validation page."""
