"""Panels of the Studio: each shows one side of an Evaluation and reads nothing else.

A panel is a class with ``widget`` and ``show(evaluation)``, in a module named after its question.
To add one: write the module, list it in ``netdesign.app.studio``.
"""
