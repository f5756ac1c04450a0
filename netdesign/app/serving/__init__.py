"""Voila as we serve it: configuration, page template, home page."""
