"""Lossless Ethernet: headroom of a paused port, the shared buffer, where to mark, how to react."""
