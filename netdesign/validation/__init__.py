"""Predictions held against measured training runs: the published ones and a planner's own."""
