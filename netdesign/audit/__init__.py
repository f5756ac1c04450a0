"""What was built and measured, read from files and held against the design."""
