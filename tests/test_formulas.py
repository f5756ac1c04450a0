"""The registry of formulas, and that every one names a source we hold."""

import importlib
import pkgutil

import pytest

import netdesign
from netdesign.catalog import load_catalog
from netdesign.formulas import formula, formulas

FORMULA_PACKAGES = ("workload", "network", "topology", "performance", "economics")


def import_formula_modules():
    for package in FORMULA_PACKAGES:
        module = importlib.import_module(f"{netdesign.__name__}.{package}")
        for found in pkgutil.walk_packages(module.__path__, f"{module.__name__}."):
            importlib.import_module(found.name)


@pytest.fixture
def registry(monkeypatch):
    known = {}
    monkeypatch.setattr("netdesign.formulas._REGISTRY", known)
    return known


def test_decorating_returns_the_function_itself(registry):
    def bandwidth_time(size, bandwidth):
        """Time to move bytes.

        More text.
        """
        return size / bandwidth

    decorated = formula(latex=r"t = \frac{S}{B}", source="hockney-1988")(bandwidth_time)
    assert decorated is bandwidth_time
    entry = formulas()["bandwidth_time"]
    assert entry.summary == "Time to move bytes."
    assert entry.function is bandwidth_time
    assert entry.module == __name__
    assert (entry.latex, entry.source) == (r"t = \frac{S}{B}", "hockney-1988")


def test_the_registry_is_read_only(registry):
    with pytest.raises(TypeError):
        formulas()["x"] = None


@pytest.mark.parametrize(("latex", "source"), [("", "hu-2025"), ("x", " ")])
def test_a_formula_without_equation_or_source_is_refused(registry, latex, source):
    with pytest.raises(TypeError, match="needs its equation"):
        formula(latex=latex, source=source)


def test_a_formula_without_docstring_is_refused(registry):
    def nameless():
        return 0

    with pytest.raises(TypeError, match="nameless has no docstring"):
        formula(latex="x", source="hu-2025")(nameless)


def test_two_modules_cannot_claim_one_name(registry):
    def rate():
        """A rate."""

    formula(latex="x", source="hu-2025")(rate)
    rate.__module__ = "elsewhere"
    with pytest.raises(TypeError, match="rate exists in"):
        formula(latex="x", source="hu-2025")(rate)


def test_every_formula_of_the_package_has_a_known_source():
    import_formula_modules()
    unknown = {
        f"{entry.module}.{name}": entry.source
        for name, entry in formulas().items()
        if entry.source not in load_catalog().references
    }
    assert formulas()
    assert not unknown
