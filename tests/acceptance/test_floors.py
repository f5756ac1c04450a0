"""The house: imports go down, nothing below floor 4 knows a screen, modules stay readable."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .shell import ROOT

PACKAGE = ROOT / "netdesign"
FLOORS = {
    **dict.fromkeys(("units", "arrays", "errors", "formulas", "catalog", "strict_yaml"), 0),
    **dict.fromkeys(("scheduler", "wording"), 0),
    **dict.fromkeys(("workload", "network", "topology"), 1),
    **dict.fromkeys(("performance", "economics"), 2),
    **dict.fromkeys(
        ("design", "evaluate", "findings", "explore", "fabrics", "order", "rivals", "validation"), 3
    ),
    **dict.fromkeys(("bands", "congestion", "ranking", "sensitivity"), 3),
    **dict.fromkeys(("nccl_settings",), 3),
    **dict.fromkeys(("charts", "export", "audit"), 4),
    **dict.fromkeys(("cli_nccl",), 5),
    **dict.fromkeys(("app", "cli", "cli_fabric", "cli_predict", "__main__", "__init__"), 5),
    **dict.fromkeys(("cli_congestion",), 5),
    **dict.fromkeys(("comparison",), 3),
    **dict.fromkeys(("cli_compare",), 5),
    **dict.fromkeys(("lossless",), 3),
    **dict.fromkeys(("acceptance", "failures", "reliability", "sections"), 3),
    **dict.fromkeys(("cli_lossless",), 5),
    **dict.fromkeys(("cli_failures", "cli_audit", "cli_calibrate", "cli_preflight"), 5),
    **dict.fromkeys(("cli_files",), 5),
}
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if not {"data", "notebooks"} & set(path.parts[:-1])
)
SCREEN = {"altair", "anywidget", "IPython", "ipywidgets", "matplotlib", "traitlets", "voila"}
HEAVY = {"altair", "dask", "matplotlib", "pandas", "scipy", "vl_convert"}
LONGEST_MODULE = 400
LONGEST_FUNCTION = 60


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def package_of(path: Path) -> str:
    """The part of the house that a module belongs to."""
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def _full_name(path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    folder = path.parent.relative_to(PACKAGE.parent).parts
    above = folder[: len(folder) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def _type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(path: Path, *, at_run_time: bool = False) -> Iterator[str]:
    """Every module that a module imports, anywhere in it."""
    waiting: list[ast.AST] = [tree_of(path)]
    while waiting:
        node = waiting.pop()
        if at_run_time and _type_checking(node):
            continue
        waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = _full_name(path, node)
            yield module
            if module == "netdesign":
                yield from (f"netdesign.{alias.name}" for alias in node.names)


def inner_imports(path: Path, *, at_run_time: bool = False) -> set[str]:
    """The parts of the house that a module imports."""
    found = (name.split(".") for name in imports(path, at_run_time=at_run_time))
    return {parts[1] for parts in found if parts[0] == "netdesign" and len(parts) > 1}


def test_every_part_of_the_house_has_a_floor() -> None:
    assert {package_of(path) for path in MODULES} <= set(FLOORS)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_never_go_up(path: Path) -> None:
    floor = FLOORS[package_of(path)]
    up = {
        part
        for part in inner_imports(path)
        if part in FLOORS and FLOORS[part] > floor and part != "__init__"
    }
    assert up == set()


def test_parts_of_the_house_do_not_import_each_other_in_circles() -> None:
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        part = package_of(path)
        graph.setdefault(part, set()).update(inner_imports(path, at_run_time=True) - {part})
    order: list[str] = []
    waiting = set(graph)
    while waiting:
        free = {part for part in waiting if not graph[part] & waiting}
        assert free, {part: graph[part] & waiting for part in waiting}
        order.extend(free)
        waiting -= free
    assert order


@pytest.mark.parametrize(
    "path", [path for path in MODULES if FLOORS[package_of(path)] < 4], ids=name_of
)
def test_nothing_below_the_charts_knows_a_screen(path: Path) -> None:
    outer = {name.split(".")[0] for name in imports(path)}
    assert outer & SCREEN == set()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_functions_can_be_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno >= LONGEST_FUNCTION
    }
    assert long == {}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_hides_behind_a_vague_name(path: Path) -> None:
    assert not {"utils", "helpers", "misc", "manager", "common"} & {
        part.removesuffix(".py") for part in path.relative_to(PACKAGE).parts
    }


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_error_is_swallowed(path: Path) -> None:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ExceptHandler):
            assert not all(isinstance(line, ast.Pass) for line in node.body), node.lineno
        assert not isinstance(node, ast.Assert), "an assert is no check of an input"


BLOCK = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked!r}:
            raise ImportError(f"{{name}} is blocked")

sys.meta_path.insert(0, Block())
{then}
print(sorted({blocked!r} & {{name.split(".")[0] for name in sys.modules}}))
"""


def _without(blocked: set[str], then: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", BLOCK.format(blocked=blocked, then=then)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "[]"


def test_evaluate_runs_without_a_screen_and_without_heavy_libraries() -> None:
    _without(
        SCREEN | HEAVY,
        "from netdesign.design import default_design\n"
        "from netdesign.evaluate import evaluate\n"
        "evaluate(default_design())",
    )


def test_the_served_pages_import_nothing_heavy() -> None:
    then = (
        "import importlib, pkgutil\n"
        "import netdesign.app\n"
        "for found in pkgutil.walk_packages(netdesign.app.__path__, 'netdesign.app.'):\n"
        "    if not found.name.endswith(('.serving', '.build_runtime', '__main__'))"
        " and '.serving.' not in found.name:\n"
        "        importlib.import_module(found.name)"
    )
    _without(HEAVY, then)
