"""What a built cluster must reach, test by test, before and after it is built."""
