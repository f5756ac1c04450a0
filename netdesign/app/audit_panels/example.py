"""A small log to try the page with: two servers of made-up numbers, one size that stands out."""

from __future__ import annotations

from netdesign.catalog import data_directory

NAME = "all-reduce-two-servers.log"


def sample() -> bytes:
    """The log."""
    return (data_directory() / "samples" / NAME).read_bytes()
