"""What do the planner's own logs say of the machines, as JSON and as text?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from netdesign.acceptance.benchmarks import setting
from netdesign.acceptance.own_errors import ErrorLine
from netdesign.acceptance.own_machines import FACTORS, LeftOut, OwnFit
from netdesign.performance.collective_prediction import BAND_SCOPES
from netdesign.wording import plural, printable

_SAID = {
    "domain_speed": "bandwidth inside a domain",
    "network_speed": "bandwidth of the network",
    "domain_start_up": "start-up inside a domain",
    "network_start_up": "start-up over the network",
}


def own_fit_record(found: OwnFit) -> dict[str, Any]:
    """Everything, as plain values; errors are shares, 0.1 is 10 %."""
    settings = found.settings
    return {
        "measured": {path.partition(".")[2]: value for path, value in settings.items()},
        "helps": found.helps,
        "told": dict(zip(FACTORS, found.told, strict=True)),
        "logs": list(found.logs),
        "rows": found.rows,
        "errors": [
            _error_record(before, after)
            for before, after in zip(found.before, found.after, strict=True)
        ],
        "unseen_logs": None
        if found.unseen_before is None or found.unseen_after is None
        else _error_record(found.unseen_before, found.unseen_after),
        "band": [
            {
                "scope": scope,
                "low": float(found.band.low[row, column]),
                "high": float(found.band.high[row, column]),
                "own": scope in found.earned,
            }
            for row, scopes in enumerate(BAND_SCOPES)
            for column, scope in enumerate(scopes)
        ],
        "left_out": [
            {"log": entry.log, "rows": entry.rows, "reason": entry.reason}
            for entry in found.left_out
        ],
    }


def _error_record(before: ErrorLine, after: ErrorLine) -> dict[str, Any]:
    return {
        "where": before.where,
        "size": before.size,
        "rows": before.rows,
        "before_median": before.median,
        "before_percentile_90": before.percentile_90,
        "after_median": after.median,
        "after_percentile_90": after.percentile_90,
    }


def own_fit_lines(found: OwnFit) -> list[str]:
    """The same for a person at a shell."""
    return [
        f"used: {plural(found.rows, 'row')} of {plural(len(found.logs), 'log')}",
        *(f"  {printable(log)}" for log in found.logs),
        *_left_out(found.left_out),
        "",
        *_factors(found),
        "",
        *_errors(found),
        "",
        *_bands(found),
    ]


def _left_out(left_out: Sequence[LeftOut]) -> Iterator[str]:
    if left_out:
        yield "left out:"
    for entry in left_out:
        rows = f", {plural(entry.rows, 'row')}" if entry.rows else ""
        yield f"  {printable(entry.log)}{rows}: {printable(entry.reason)}"


def _factors(found: OwnFit) -> Iterator[str]:
    if not found.helps:
        yield (
            "your machines over the model: the shipped constants stay. They predict these logs "
            "better than factors that the logs give."
        )
        return
    yield "your machines over the model:"
    for name, told in zip(FACTORS, found.told, strict=True):
        value = found.settings[f"measured.{name}"]
        said = f"x {value:.3g}" if told else "as the model: no row of the logs depends on it"
        yield f"  {_SAID[name]:<28}{said}"


def _errors(found: OwnFit) -> Iterator[str]:
    yield f"{'error of the predicted time:':<44}{'before':>14}{'after':>18}"
    yield f"{'':<44}" + " ".join(f"{name:>8}" for name in ("median", "90 %", "median", "90 %"))
    for before, after in zip(found.before, found.after, strict=True):
        name = "all" if before.where == before.size else f"{before.where}, {before.size}"
        yield f"  {_figures(f'{name} ({before.rows})', before, after)}"
    if found.unseen_before is None or found.unseen_after is None:
        least = f"{setting('own-band-logs'):g}"
        yield f"  Too few logs to tell the error on one that was not used; give at least {least}."
        return
    yield f"  {_figures('each log by the others', found.unseen_before, found.unseen_after)}"
    if found.unseen_after.median > found.unseen_before.median:
        yield (
            "  The factors do not carry over from one log to another: your machines, or the logs, "
            "differ from each other more than from the model."
        )


def _figures(name: str, before: ErrorLine, after: ErrorLine) -> str:
    figures = (before.median, before.percentile_90, after.median, after.percentile_90)
    return f"{name:<42}" + " ".join(f"{value:>8.1%}" for value in figures)


def _bands(found: OwnFit) -> Iterator[str]:
    if not found.earned:
        yield (
            f"band: as shipped. A narrower one takes {setting('own-band-rows'):g} rows of a kind "
            f"from {setting('own-band-logs'):g} logs, each predicted by the others alone, that lie "
            "closer together."
        )
        return
    yield "band earned (four calls in five take so many times the predicted time, logs unseen):"
    for row, scopes in enumerate(BAND_SCOPES):
        for column, scope in enumerate(scopes):
            if scope in found.earned:
                low, high = found.band.low[row, column], found.band.high[row, column]
                yield f"  {scope}: {low:.2f} to {high:.2f}"
