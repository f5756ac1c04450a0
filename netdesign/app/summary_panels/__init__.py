"""Parts of the executive summary: each reads an Evaluation and writes a piece of the page."""
