"""Evaluation -> what people hand on."""
