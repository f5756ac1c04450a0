"""What a file holds, in a few lines for a person, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from netdesign.audit.report import FileReport, Finding
from netdesign.wording import binary_size, named, plural

_MOST = 12  # lines of one kind
_MOST_FIGURES = 24  # of one finding
_MOST_OF_A_LIST = 12
_UNITS = MappingProxyType(
    {"gbs": "GB/s", "gbps": "Gb/s", "us": "µs", "ns": "ns", "ms": "ms", "s": "s", "bytes": "bytes"}
)
Summary = Mapping[str, Any]


def summary_lines(report: FileReport) -> list[str]:
    """Short sentences on what was read, without verdicts; of many, the first."""
    lines: list[str] = []
    for kind in report.kinds:
        told = list(_WORDS[kind](report.summary)) if kind in _WORDS else []
        lines += told[:_MOST]
        if len(told) > _MOST:
            lines.append(f"and {len(told) - _MOST} more")
    return lines


def verdict(report: FileReport) -> str:
    """One word or two on the whole file."""
    if not report.is_readable:
        return "not read"
    errors = sum(finding.severity == "error" for finding in report.findings)
    warnings = sum(finding.severity == "warning" for finding in report.findings)
    if not errors + warnings:
        return "healthy"
    said = [plural(errors, "error")] if errors else []
    return ", ".join([*said, plural(warnings, "warning")] if warnings else said)


def figures(finding: Finding) -> list[tuple[str, str]]:
    """The evidence of a finding: what it is, with its unit, and its value in words."""
    entries = list(finding.evidence.items())
    told = [(_key(str(key)), _value(value)) for key, value in entries[:_MOST_FIGURES]]
    left = len(entries) - len(told)
    return [*told, ("and more", f"{left:,}")] if left > 0 else told


def _key(key: str) -> str:
    """The words of a key, its unit after a comma."""
    words, _, last = key.rpartition("_")
    if words and last in _UNITS:
        return f"{words.replace('_', ' ')}, {_UNITS[last]}"
    return key.replace("_", " ")


def _value(value: Any) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        parts = [f"{key}: {_value(entry)}" for key, entry in value.items()]
        return _listed(parts)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return _listed([_value(entry) for entry in value])
    return str(value)


def _listed(parts: list[str]) -> str:
    return named(parts, _MOST_OF_A_LIST) or "none"


def _nccl_tests(summary: Summary) -> Iterator[str]:
    for test in summary.get("tests", ()):
        name = test.get("operation") or "operation not known"
        gpus, nodes = test.get("ranks"), test.get("nodes")
        where = plural(gpus, "GPU") if gpus else "GPUs not known"
        where += f" on {plural(nodes, 'node')}" if nodes else ""
        sizes = plural(test.get("sizes") or 0, "size")
        peak, size = test.get("best_busbw_gbs"), _size_of_best(test)
        best = f"best {peak:.4g} GB/s at {_size(size)}" if peak and size else "no bandwidth"
        if test.get("bandwidth_valid") is False and peak:
            best = "bandwidth invalid: results are wrong"
        yield f"{name}: {where}, {sizes}, {best}"


def _size_of_best(test: Mapping[str, Any]) -> float | None:
    best = test.get("best_busbw_gbs")
    half = "" if test.get("peak_busbw_gbs") == best else "in_place_"
    return test.get(f"{half}peak_size_bytes")


def _perftest(summary: Summary) -> Iterator[str]:
    for test in summary.get("perftest_tests", summary.get("tests", ())):
        name = test["test"] or "test not known"
        device = f" on {test['device']}" if test.get("device") else ""
        rows = test.get("rows") or []
        best = test.get("best_gbps")
        if best is not None:
            at = _size(test.get("best_size_bytes"))
            yield f"{name}{device}: {best:.4g} Gb/s at {at}, {plural(len(rows), 'size')}"
        elif rows:
            yield f"{name}{device}: {_latency(rows[0])}"
        else:
            yield f"{name}{device}: no result"


def _latency(row: Mapping[str, Any]) -> str:
    for key in ("typical_us", "t_typical_us", "average_us", "t_avg_us"):
        if row.get(key) is not None:
            return f"{row[key]:.4g} us for {_size(row.get('size_bytes'))}"
    return "latency"


def _infiniband(summary: Summary) -> Iterator[str]:
    return _fabric(summary, "host adapter")  # a server has several


def _fabric(summary: Summary, host: str = "host") -> Iterator[str]:
    counts = [
        plural(summary[key], word)
        for key, word in (
            ("switches", "switch"),
            ("hosts", host),
            ("aggregation_nodes", "aggregation node"),
            ("links", "link"),
        )
        if isinstance(summary.get(key), int) and (summary[key] or key != "aggregation_nodes")
    ]
    yield ", ".join(counts)
    tiers = summary.get("tiers")
    if isinstance(tiers, list) and tiers:
        yield "tiers: " + ", ".join(plural(tier["switches"], tier["name"]) for tier in tiers)
    if summary.get("speeds"):
        yield "speeds: " + ", ".join(f"{n:,} x {name}" for name, n in summary["speeds"].items())
    worst = _worst_leaf(summary.get("leaves") or [])
    if worst:
        yield worst


def _worst_leaf(leaves: list[Mapping[str, Any]]) -> str:
    known = [leaf for leaf in leaves if leaf.get("oversubscription")]
    if not known:
        return ""
    worst = max(known, key=lambda leaf: float(leaf["oversubscription"]))
    return (
        f"{plural(len(leaves), 'leaf')}; the most oversubscribed is {worst['name']}: "
        f"{worst['down']} down, {worst['up']} up, {worst['oversubscription']:.3g}:1"
    )


def _host(summary: Summary) -> Iterator[str]:
    gpus = plural(summary.get("gpus") or 0, "GPU")
    nics = plural(summary.get("nics") or 0, "NIC")
    yield f"{gpus}, {nics}, {summary.get('nvlink') or 'no NVLink'}"
    for entry in summary.get("affinity", ()):
        best = ", ".join(entry.get("best_nics") or ())
        if best and entry.get("best"):
            yield f"{entry['gpu']}: nearest {best} ({entry['best']})"
        elif summary.get("nics"):
            yield f"{entry['gpu']}: no NIC near"


def _lldp(summary: Summary) -> Iterator[str]:
    yield ", ".join(
        plural(summary[key], word)
        for key, word in (
            ("interfaces", "interface"),
            ("neighbours", "neighbour"),
            ("management", "management entry"),
        )
        if isinstance(summary.get(key), int)
    )


def _log(summary: Summary) -> Iterator[str]:
    found = summary.get("nccl") or {}
    parts = [
        f"NCCL {found['version']}" if found.get("version") else "",
        f"plugin {found['plugin']}" if found.get("plugin") else "",
        f"provider {found['provider']}" if found.get("provider") else "",
        plural(found["channels"], "channel") if found.get("channels") else "",
        "" if found.get("gdr") is None else ("" if found["gdr"] else "no ") + "GPUDirect RDMA",
    ]
    said = ", ".join(part for part in parts if part)
    if said:
        yield said


_WORDS: dict[str, Callable[[Summary], Iterator[str]]] = {
    "nccl-tests": _nccl_tests,
    "perftest": _perftest,
    "ibnetdiscover": _infiniband,
    "iblinkinfo": _infiniband,
    "ibdiagnet": _infiniband,
    "nvidia-smi-topo": _host,
    "slurm-topology": _fabric,
    "lldp": _lldp,
    "nccl-log": _log,
}


def _size(size: float | None) -> str:
    return "unknown size" if size is None else binary_size(size)
