"""The Design: the one input of netdesign, validated, saved as YAML, carried in an address bar."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

import yaml
from pydantic import ValidationError

from netdesign.catalog import Parameter, data_directory, load_catalog
from netdesign.errors import DesignError
from netdesign.sections import (
    ClusterChoice,
    EconomicsChoice,
    MeasuredChoice,
    ModelChoice,
    NetworkChoice,
    PlanChoice,
    ReliabilityChoice,
    Section,
    TargetChoice,
    TrainingChoice,
)
from netdesign.strict_yaml import NOT_YAML, load_strict

SCHEMA_VERSION = 1
LARGEST_FILE_BYTES = 65_536
LONGEST_SHOWN_KEY = 60
LONGEST_NAME = 160
# By path: collectives as the shipped constants say, with no logs of one's own behind them.
NOT_MEASURED: Mapping[str, Any] = MappingProxyType(
    {
        "measured.domain_speed": 1.0,
        "measured.network_speed": 1.0,
        "measured.domain_start_up": 1.0,
        "measured.network_start_up": 1.0,
        "measured.logs": 0,
    }
)


class Design(Section):
    """Everything a planner sets; units are those of ``data/parameters.csv``."""

    schema_version: int = SCHEMA_VERSION
    name: str = "Untitled design"
    model: ModelChoice
    training: TrainingChoice
    cluster: ClusterChoice
    plan: PlanChoice
    network: NetworkChoice
    target: TargetChoice
    economics: EconomicsChoice
    reliability: ReliabilityChoice
    measured: MeasuredChoice

    def value(self, path: str) -> Any:
        """The value at ``section.field``."""
        if path == "name":
            return self.name
        section, _, field = path.partition(".")
        return getattr(getattr(self, section), field)

    def with_values(self, changes: Mapping[str, Any]) -> Design:
        """A copy with the values at these ``section.field`` paths changed, checked as a whole."""
        tree = self.model_dump()
        for path, value in changes.items():
            _place(tree, path, value)
        return design_from_mapping(tree)


@cache
def default_values() -> Mapping[str, Any]:
    """Default of every parameter by path, as ``data/parameters.csv`` gives it."""
    return {
        path: _from_text(parameter, parameter.default, "data/parameters.csv")
        for path, parameter in load_catalog().parameters.items()
    }


def default_design() -> Design:
    """The design that a new planner sees."""
    return design_from_mapping({"name": "Llama-3 70B on 1,024 H100, rail-optimised 400G"})


def choices(path: str) -> tuple[str, ...]:
    """What a choice parameter may be, catalogue keys included."""
    catalog = load_catalog()
    found: list[str] = []
    for token in catalog.parameters[path].choices:
        found.extend(getattr(catalog, token[1:]) if token.startswith("@") else [token])
    return tuple(found)


def automatic_name(design: Design) -> str:
    """What a design is called that nobody has named: model, machines, fabric."""
    catalog = load_catalog()
    model = catalog.models.get(design.model.preset)
    trained = model.name if model else f"{design.model.parameters_billion:,.4g} B parameters"
    server = catalog.servers[design.cluster.server].name
    switch = catalog.switches[design.network.switch].name
    taper = design.network.oversubscription
    tapered = f" {taper:.3g}:1" if taper > 1 else ""
    family = design.network.family.replace("-", " ")
    return f"{trained} on {design.cluster.gpus:,} GPUs ({server}), {family}{tapered}, {switch}"


@cache
def given_names() -> frozenset[str]:
    """Names of the designs that ship with netdesign."""
    return frozenset(read_design(name).name for name in shipped_designs())


def is_named(design: Design) -> bool:
    """Whether a person gave the design its name."""
    return design.name != automatic_name(design) and design.name not in given_names()


def renamed(design: Design) -> Design:
    """The design under its automatic name."""
    return design.model_copy(update={"name": automatic_name(design)})


def design_from_mapping(tree: Any, where: str = "design") -> Design:
    """A Design from nested sections; what is missing takes its default.

    Raises
    ------
    DesignError
        for an unknown key, a wrong type, a value out of range or an unknown part.
    """
    if not isinstance(tree, Mapping):
        raise DesignError(
            where, tree, "is not a design", "a design has sections: model, training, ..."
        )
    full = _with_defaults(tree)
    _refuse_unknown_keys(tree)
    try:
        design = Design.model_validate(full)
    except ValidationError as error:
        raise _first_problem(error) from None
    if design.schema_version != SCHEMA_VERSION:
        raise DesignError(
            "schema_version",
            design.schema_version,
            "is not known to this version",
            f"this version reads {SCHEMA_VERSION}",
        )
    if len(design.name) > LONGEST_NAME or not design.name.isprintable():
        raise DesignError(
            "name", design.name, "cannot be shown", f"up to {LONGEST_NAME} printable characters"
        )
    for path, parameter in load_catalog().parameters.items():
        _check_value(parameter, path, design.value(path))
    return design


def design_from_yaml(text: str | bytes, where: str = "design") -> Design:
    """Read a design file; any problem becomes a :class:`DesignError` that names the file."""
    if len(text) > LARGEST_FILE_BYTES:
        raise DesignError(
            where, f"{len(text)} bytes", "is too large", f"a design has under {LARGEST_FILE_BYTES}"
        )
    try:
        tree = load_strict(text)
    except NOT_YAML as error:
        mark = getattr(error, "problem_mark", None)
        line = f"{where}, line {mark.line + 1}" if mark else where
        problem = getattr(error, "problem", None) or "something in it is no plain text or number"
        raise DesignError(line, None, f"is not YAML: {problem}", "see data/designs") from None
    try:
        if tree is None:
            raise DesignError(where, None, "is empty", "see data/designs for an example")
        return design_from_mapping(tree, where)
    except DesignError as error:
        raise error if error.field == where else error.within(where) from None


def read_design(path: str | Path) -> Design:
    """Read a design from a file, or one that ships with netdesign by its name."""
    file = Path(path)
    if not file.exists() and str(path) in shipped_designs():
        file = shipped_designs()[str(path)]
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise DesignError(
            str(path), "file", f"cannot be read: {reason}", "check the path"
        ) from None
    return design_from_yaml(content, file.name)


@cache
def shipped_designs() -> Mapping[str, Path]:
    """Designs in ``data/designs`` by name."""
    return {file.stem: file for file in sorted((data_directory() / "designs").glob("*.yaml"))}


def design_to_yaml(design: Design) -> str:
    """The design as a file that a person can read and edit."""
    return yaml.safe_dump(design.model_dump(), sort_keys=False, allow_unicode=True)


def design_to_query(design: Design) -> str:
    """The design as a query string; values at their default are left out."""
    default = default_design()
    changed = [
        (path, _to_text(design.value(path)))
        for path in load_catalog().parameters
        if design.value(path) != default.value(path)
    ]
    understood = automatic_name(design) if changed else default.name
    name = [] if design.name == understood else [("name", design.name)]
    return urlencode([("v", str(SCHEMA_VERSION)), *name, *changed])


def design_from_query(query: str) -> tuple[Design, tuple[str, ...]]:
    """A design from a query string, and what in it was ignored and why."""
    ignored: list[str] = []
    design = default_design()
    parameters = load_catalog().parameters
    changes: dict[str, Any] = {}
    for key, text in parse_qsl(query.lstrip("?")[:LARGEST_FILE_BYTES]):
        if key == "name":
            changes["name"] = "".join(filter(str.isprintable, text))[:LONGEST_NAME]
        elif key in parameters:
            try:
                value = _from_text(parameters[key], text, "address")
                _check_value(parameters[key], key, value)
                changes[key] = value
            except DesignError as error:
                ignored.append(str(error))
        elif key != "v" and "." in key:
            ignored.append(f"{key}: is not a parameter")
    unnamed = bool(changes) and "name" not in changes
    design = design.with_values(changes)
    return renamed(design) if unnamed else design, tuple(ignored)


def _place(tree: dict[str, Any], path: str, value: Any) -> None:
    section, dot, field = path.partition(".")
    if not dot:
        tree[section] = value
    else:
        tree.setdefault(section, {})[field] = value


def _with_defaults(tree: Mapping[str, Any]) -> dict[str, Any]:
    full: dict[str, Any] = {}
    for path, value in default_values().items():
        _place(full, path, value)
    for section, value in tree.items():
        if isinstance(value, Mapping) and isinstance(full.get(section), dict):
            full[section] = {**full[section], **value}
        else:
            full[section] = value
    return full


def _known_keys() -> Iterator[str]:
    yield from ("schema_version", "name")
    yield from load_catalog().parameters
    yield from {path.partition(".")[0] for path in load_catalog().parameters}


def _refuse_unknown_keys(tree: Mapping[Any, Any]) -> None:
    known = list(_known_keys())
    for section, value in tree.items():
        keys = {str(section): value}
        if isinstance(value, Mapping):
            keys |= {f"{section}.{field}": inner for field, inner in value.items()}
        for key, given in keys.items():
            if key not in known:
                short = key if len(key) <= LONGEST_SHOWN_KEY else f"{key[:LONGEST_SHOWN_KEY]}..."
                raise DesignError(
                    short, given, "stands at an unknown key", _nearest(key[:200], known)
                )


def _nearest(value: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(value, known, n=1, cutoff=0.4)
    return f"did you mean {near[0]}?" if near else f"one of {_few(known)}"


def _few(known: Sequence[str], most: int = 8) -> str:
    return ", ".join(known[:most]) + (", ..." if len(known) > most else "")


def _first_problem(error: ValidationError) -> DesignError:
    problem = error.errors()[0]
    path = ".".join(str(part) for part in problem["loc"])
    parameter = load_catalog().parameters.get(path)
    if parameter is None and path in {key.partition(".")[0] for key in load_catalog().parameters}:
        fields = [key.partition(".")[2] for key in _known_keys() if key.startswith(f"{path}.")]
        return DesignError(
            path, problem.get("input"), "is not a section", f"it holds {', '.join(fields)}"
        )
    return DesignError(
        path,
        problem.get("input"),
        "is not the right kind of value",
        _what_is_right(parameter) if parameter else "see data/designs for an example",
    )


def _what_is_right(parameter: Parameter) -> str:
    if parameter.kind == "choice":
        return f"one of {_few(choices(parameter.path))}"
    if parameter.kind == "flag":
        return "true or false"
    kind = "a whole number" if parameter.kind == "integer" else "a number"
    unit = f" {parameter.unit}" if parameter.unit and parameter.unit != ": 1" else ""
    return f"{kind} from {parameter.lowest:,.10g} to {parameter.highest:,.10g}{unit}"


def _check_value(parameter: Parameter, path: str, value: Any) -> None:
    if parameter.kind == "choice":
        allowed = choices(path)
        if str(value) not in allowed:
            raise DesignError(path, value, "is not known", _nearest(str(value), allowed))
    elif (
        parameter.kind != "flag"
        and parameter.lowest is not None
        and parameter.highest is not None
        and not parameter.lowest <= value <= parameter.highest
    ):
        raise DesignError(path, value, "is out of range", _what_is_right(parameter))


def _from_text(parameter: Parameter, text: str, where: str) -> Any:
    try:
        if parameter.kind == "integer" or parameter.path == "training.gradient_bytes":
            return int(text)
        if parameter.kind == "number":
            return float(text)
    except ValueError:
        raise DesignError(
            f"{where}: {parameter.path}", text, "is not a number", _what_is_right(parameter)
        ) from None
    if parameter.kind == "flag":
        if text.lower() not in ("true", "false"):
            raise DesignError(f"{where}: {parameter.path}", text, "is not a flag", "true or false")
        return text.lower() == "true"
    return text


def _to_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)
