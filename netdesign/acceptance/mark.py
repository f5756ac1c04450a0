"""How a log says which check of the plan it belongs to."""

MARK = "# netdesign check:"  # the first line of every log that the plan's script writes
