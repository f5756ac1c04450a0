"""Own logs refit the model: the truth comes back, nothing else does, and every refusal is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from nccl_tests_text import run_text

from netdesign.acceptance.expected import System, expected_curve, system_of
from netdesign.acceptance.own_errors import band_of_unseen, scopes_of
from netdesign.acceptance.own_machines import OwnFit, OwnPoint, fit
from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.own_measurements import calibrate, gather
from netdesign.audit.report import FileReport
from netdesign.design import (
    NOT_MEASURED,
    default_design,
    design_from_query,
    design_from_yaml,
    design_to_query,
    design_to_yaml,
)
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.export.own_machines import own_fit_lines, own_fit_record
from netdesign.network.nccl.constants import shipped_constants
from netdesign.network.own_speeds import AS_SHIPPED, OwnSpeeds, own_constants
from netdesign.performance.calibration import calibration_for
from netdesign.performance.collective_prediction import BAND_SCOPES, shipped_band
from netdesign.performance.overlap import links_of

SIZES = tuple(float(2**power) for power in range(10, 35))
RUNS = (("all-reduce", 8), ("all-reduce", 64), ("all-gather", 32), ("all-to-all", 64))
PROGRAMS = {"all-reduce": "all_reduce", "all-gather": "all_gather", "all-to-all": "alltoall"}


@cache
def evaluation() -> Evaluation:
    return evaluate(default_design())


@cache
def system() -> System:
    return system_of(evaluation())


def points(
    truth: OwnSpeeds,
    runs: Sequence[tuple[str, int]] = RUNS,
    noise: float = 0.04,
    sizes: Sequence[float] = SIZES,
) -> list[OwnPoint]:
    """Measurements of machines that are so much faster or slower than the model."""
    draw = np.random.default_rng(7)
    found = []
    for operation, ranks in runs:
        nodes = max(1, ranks // 8)
        curve = expected_curve(replace(system(), own=truth), operation, ranks, nodes, sizes)
        times = curve.time * np.exp(noise * draw.normal(size=len(sizes)))
        log = f"{operation}-{ranks}"
        found += [
            OwnPoint(log, operation, ranks, nodes, float(size), float(time))
            for size, time in zip(sizes, times, strict=True)
        ]
    return found


def log_text(
    truth: OwnSpeeds, operation: str, ranks: int, name: str = "NVIDIA H100 80GB HBM3"
) -> str:
    """The same as the output of nccl-tests."""
    own = points(truth, [(operation, ranks)], noise=0.0)
    times = [(int(point.size), point.time * 1e6) for point in own]
    return run_text(times, ranks=ranks, per_node=8, name=name, operation=PROGRAMS[operation])


def report(text: str, name: str = "log.txt") -> FileReport:
    return audit(document_of(name, text))


@pytest.mark.parametrize(
    "truth",
    [
        OwnSpeeds(),
        OwnSpeeds(0.9, 0.75, 1.4, 1.1),
        OwnSpeeds(1.08, 0.83, 0.8, 0.8),
        OwnSpeeds(0.7, 0.95, 1.7, 1.7),
    ],
)
def test_the_truth_comes_back(truth: OwnSpeeds) -> None:
    found = fit(points(truth, noise=0.02), system())
    assert found.told == (True, True, True, True)
    for name in ("domain", "network", "domain_start_up", "network_start_up"):
        known, told = np.log(getattr(truth, name)), np.log(getattr(found.speeds, name))
        assert abs(told - known) < 0.03 + 0.15 * abs(known), name
        assert abs(told) < abs(known) + 0.03, name  # never beyond the truth


def test_errors_are_smaller_afterwards_also_on_logs_that_were_not_used() -> None:
    found = fit(points(OwnSpeeds(0.9, 0.75, 1.4, 1.4)), system())
    for before, after in zip(found.before, found.after, strict=True):
        assert (before.where, before.size, before.rows) == (after.where, after.size, after.rows)
        assert after.median <= before.median
        assert after.percentile_90 <= before.percentile_90
    assert found.before[0].rows == found.rows == len(RUNS) * len(SIZES)
    assert sum(line.rows for line in found.after[1:]) == found.rows
    assert found.after[0].median < 0.05 < 0.15 < found.before[0].median
    assert found.unseen_before == found.before[0]
    assert found.unseen_after is not None
    assert found.after[0].median < found.unseen_after.median < found.before[0].median


def test_logs_of_machines_as_the_model_has_them_change_nothing() -> None:
    found = fit(points(OwnSpeeds(), noise=0.0), system())
    assert found.speeds == AS_SHIPPED
    assert found.after == found.before


def test_factors_never_make_the_mean_error_larger() -> None:
    own = points(OwnSpeeds(), noise=0.0)
    odd = [replace(p, time=p.time * 1.3) if p.size == SIZES[-1] else p for p in own]
    found = fit(odd, system())
    assert found.after[0].median <= found.before[0].median + 1e-3


def test_two_rows_do_not_move_it_wildly() -> None:
    own = points(OwnSpeeds(1, 0.6, 1, 1), [("all-reduce", 64)], noise=0.0)[-2:]
    few, many = fit(own, system()).speeds, fit(points(OwnSpeeds(1, 0.6, 1, 1)), system()).speeds
    assert 0.75 < few.network < 0.95
    assert 0.6 < many.network < 0.7


def test_some_odd_rows_hardly_count() -> None:
    truth = OwnSpeeds(1, 0.85, 1, 1)
    own = points(truth)
    odd = [replace(p, time=p.time * 1.35) if n % 10 == 0 else p for n, p in enumerate(own)]
    assert fit(odd, system()).speeds.network == pytest.approx(
        fit(own, system()).speeds.network, rel=0.03
    )


def test_what_no_row_tells_stays() -> None:
    inside = fit(points(OwnSpeeds(0.8, 0.5, 1, 1), [("all-reduce", 8)]), system())
    assert inside.told[1] is False
    assert inside.speeds.network == 1
    large = fit(points(OwnSpeeds(1, 0.8, 2, 2), [("all-reduce", 64)], sizes=SIZES[-3:]), system())
    assert large.told == (False, True, False, False)
    assert (large.speeds.domain, large.speeds.network_start_up) == (1, 1)


def test_slower_logs_never_give_a_faster_step() -> None:
    last = 0.0
    for slower in (0.8, 0.9, 1.0, 1.15, 1.3, 1.5):
        own = [replace(p, time=p.time * slower) for p in points(OwnSpeeds())]
        design = default_design().with_values(fit(own, system()).settings)
        step = float(evaluate(design).step.step_time_s)
        assert step >= last
        last = step
    assert last > float(evaluation().step.step_time_s)


def test_a_sick_run_is_left_out_and_not_calibrated_away() -> None:
    sick = [
        replace(p, log="sick", time=p.time * 6) for p in points(OwnSpeeds(), [("all-reduce", 64)])
    ]
    found = fit([*points(OwnSpeeds()), *sick], system())
    assert "sick" not in found.logs
    assert [(entry.log, entry.rows) for entry in found.left_out] == [("sick", len(SIZES))]
    assert "sick" in found.left_out[0].reason
    with pytest.raises(DesignError, match="nothing to calibrate with: sick: more than 2 times"):
        fit(sick, system())


def test_what_is_too_fast_is_of_other_machines() -> None:
    fast = [replace(p, time=p.time / 6) for p in points(OwnSpeeds(), [("all-gather", 32)])]
    with pytest.raises(DesignError, match="not what they are taken for"):
        fit(fast, system())


def test_the_same_log_twice_counts_once() -> None:
    own = points(OwnSpeeds(1, 0.8, 1.2, 1.2))
    twice = fit([*own, *(replace(p, log=f"{p.log} again") for p in own)], system())
    assert twice.settings == fit(own, system()).settings
    assert sum(entry.rows for entry in twice.left_out) == len(own)


def test_the_taper_of_the_design_is_not_taken_for_slowness() -> None:
    own = points(OwnSpeeds(1, 0.85, 1, 1), noise=0.0)
    behind = [replace(p, time=p.time * 1.6, taper=1.6) for p in own]
    assert fit(behind, system()).speeds.network == pytest.approx(fit(own, system()).speeds.network)


def test_a_band_of_ones_own_is_earned_by_rows_of_three_logs() -> None:
    found = fit(points(OwnSpeeds(0.9, 0.75, 1.4, 1.4)), system())
    assert "several domains, under 1 MiB" in found.earned
    assert fit(points(OwnSpeeds(0.9, 0.75, 1.4, 1.4), RUNS[:2]), system()).earned == ()
    shipped = shipped_band()
    for row, scopes in enumerate(BAND_SCOPES):
        for column, scope in enumerate(scopes):
            low, high = found.band.low[row, column], found.band.high[row, column]
            assert low <= 1 <= high
            if scope in found.earned:
                assert high / low < shipped.high[row, column] / shipped.low[row, column]
            else:
                assert (low, high) == (shipped.low[row, column], shipped.high[row, column])


def test_a_band_needs_spread_logs_and_to_be_narrower() -> None:
    off = np.linspace(-0.05, 0.05, 30)
    scopes = scopes_of(np.full(30, 2.0**30), np.full(30, 8))
    three = [f"log {n % 3}" for n in range(30)]
    assert band_of_unseen(scopes, off, three)[1] == ("several domains, 64 MiB and more",)
    assert band_of_unseen(scopes, off, ["one log"] * 30)[1] == ()
    assert band_of_unseen(scopes, 20 * off, three)[1] == ()
    assert band_of_unseen(scopes, None, three)[1] == ()
    assert (
        band_of_unseen(scopes_of(np.full(9, 2.0**30), np.full(9, 8)), off[:9], three[:9])[1] == ()
    )


def test_an_efficiency_never_passes_the_line() -> None:
    shipped, line = shipped_constants(), system().domain_line
    fast = own_constants(shipped, OwnSpeeds(1.5, 1.5, 1, 1), line)
    for name in ("network_share", "network_peer_share", "network_send_share", "reduction_share"):
        assert np.all(getattr(fast, name) <= np.maximum(1, getattr(shipped, name)))
        assert np.all(getattr(fast, name) >= getattr(shipped, name))
    assert np.all(fast.ring_bandwidth <= np.maximum(line, shipped.ring_bandwidth))
    assert own_constants(shipped, AS_SHIPPED, line) is shipped


def test_a_step_never_gets_more_than_the_line() -> None:
    def step(speed: float) -> float:
        changes = {"measured.domain_speed": speed, "measured.network_speed": speed}
        design = default_design().with_values({**changes, "measured.logs": 1})
        return float(evaluate(design).step.step_time_s)

    # Hopper's collectives are fitted at 0.816 and 0.844 of their lines: 1.25 reaches both.
    assert step(1.5) == step(1.25) < step(1.1) < step(1.0) < step(0.9)
    assert step(1.0) == float(evaluation().step.step_time_s)


def test_factors_without_logs_do_not_count() -> None:
    changes = {
        "measured.domain_speed": 0.5,
        "measured.network_speed": 0.5,
        "measured.network_start_up": 3.0,
    }
    found = evaluate(default_design().with_values(changes))
    assert found.step == evaluation().step
    assert found.machine == evaluation().machine
    assert found.findings == evaluation().findings
    assert system_of(found) == system()


def test_measured_factors_survive_file_and_address() -> None:
    found = fit(points(OwnSpeeds(0.9, 0.75, 1.4, 1.4)), system())
    design = default_design().with_values(found.settings)
    assert design.measured.logs == len(RUNS)
    assert design_from_yaml(design_to_yaml(design)) == design
    again, ignored = design_from_query(design_to_query(design))
    assert (again.measured, ignored) == (design.measured, ())
    assert design.with_values(NOT_MEASURED) == default_design()


def calibrated(*texts: str) -> OwnFit:
    reports = [report(text, f"{number}.txt") for number, text in enumerate(texts)]
    return calibrate(reports, default_design())


def test_logs_as_text_tell_the_same() -> None:
    truth = OwnSpeeds(0.92, 0.8, 1.3, 1.3)
    texts = [log_text(truth, operation, ranks) for operation, ranks in RUNS]
    found, own = calibrated(*texts), fit(points(truth, noise=0.0), system())
    assert found.rows == own.rows
    assert found.speeds.network == pytest.approx(own.speeds.network, rel=0.01)
    assert found.speeds.network_start_up == pytest.approx(own.speeds.network_start_up, rel=0.02)
    measured = default_design().with_values(found.settings)
    assert calibrate([report(text) for text in texts], measured).speeds == found.speeds
    together = calibrate([report("\n".join(texts), "all.txt")], default_design())
    assert [log.rpartition(" ")[2] for log in together.logs] == ["1", "2", "3", "4"]
    assert together.speeds == found.speeds


SOCKETS = "n1:5:6 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Socket/0\n"
GOOD = log_text(OwnSpeeds(), "all-reduce", 64)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (log_text(OwnSpeeds(), "all-reduce", 64, "NVIDIA A100-SXM4-80GB"), "GPU is NVIDIA A100"),
        (GOOD.replace(" 0\n", " 3\n"), "wrong results"),
        (GOOD[: GOOD.index("# Out of")].rsplit("\n", 6)[0], "stops before its largest size"),
        (SOCKETS + GOOD, "over TCP"),
        ("\n".join(line for line in GOOD.splitlines() if "Rank" not in line), "number of nodes"),
        ("not a log at all, only words\n", "is unknown, not nccl-tests"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_by_name(text: str, reason: str) -> None:
    with pytest.raises(DesignError, match=f"0.txt.*{reason}"):
        calibrated(text)
    found = calibrated(text, GOOD)
    assert found.logs == ("1.txt",)
    assert reason in found.left_out[0].reason


def test_one_nic_of_eight_is_not_calibrated_away() -> None:
    slow = log_text(OwnSpeeds(), "all-gather", 32)
    times = [
        (int(p.size), 30 + p.size / 47e9 * 1e6) for p in points(OwnSpeeds(), [("all-gather", 32)])
    ]
    one = run_text(times, ranks=32, per_node=8, operation="all_gather")
    gathered = gather([report(slow, "good"), report(one, "bad")], evaluation())
    assert {point.log for point in gathered.points} == {"good"}
    assert "one NIC" in gathered.left_out[0].reason


def test_it_is_told_in_words_and_as_json() -> None:
    found = calibrated(*(log_text(OwnSpeeds(1, 0.8, 1.3, 1.3), *run) for run in RUNS), "words\n")
    text = "\n".join(own_fit_lines(found))
    assert "used: 100 rows of 4 logs" in text
    assert "4.txt: is unknown" in text
    assert "each log by the others" in text
    record = own_fit_record(found)
    assert record["measured"]["logs"] == 4
    assert record["errors"][0]["after_median"] <= record["errors"][0]["before_median"]
    assert len(record["band"]) == 6
    alone = "\n".join(own_fit_lines(calibrated(log_text(OwnSpeeds(), "all-reduce", 8))))
    assert alone.count("no row of the logs depends on it") == 2
    assert "give at least 3" in alone


def test_a_log_that_is_mostly_sick_goes_as_a_whole() -> None:
    own = points(OwnSpeeds(), [("all-gather", 32)], noise=0.0)
    mostly = [replace(p, time=p.time * (8 if n > 8 else 1)) for n, p in enumerate(own)]
    partly = [replace(p, time=p.time * (8 if n > 20 else 1)) for n, p in enumerate(own)]
    good = points(OwnSpeeds(), RUNS[:2])
    assert fit([*good, *mostly], system()).left_out[0].rows == len(own)
    assert fit([*good, *partly], system()).left_out[0].rows == len(own) - 21


def test_what_is_faster_than_the_links_is_not_made_up_for() -> None:
    own = points(OwnSpeeds(), [("all-gather", 64)], noise=0.0, sizes=SIZES[-6:])
    beyond = [replace(p, log="beyond", time=p.time / 1.6) for p in own]
    found = fit([*points(OwnSpeeds()), *beyond], system())
    assert "beyond" not in found.logs
    assert "full rate of every link" in found.left_out[0].reason


def test_a_table_above_the_line_is_of_other_machines() -> None:
    times = [(int(size), 40 + size / 600e9 * 1e6) for size in SIZES]
    text = run_text(times, ranks=64, per_node=8, operation="all_gather")
    with pytest.raises(DesignError, match="more than these machines carry"):
        calibrated(text)


def test_nodes_with_more_gpus_than_a_server_are_of_another_machine() -> None:
    own = points(OwnSpeeds(), [("all-reduce", 32)], noise=0.0)
    text = run_text([(int(p.size), p.time * 1e6) for p in own], ranks=32, per_node=16)
    with pytest.raises(DesignError, match="32 GPUs on 2 nodes are more than the 8 of a server"):
        calibrated(text)


def test_sizes_of_early_versions_are_not_mistaken() -> None:
    """They count what one rank sends, and print the bandwidth of what all do."""
    own = points(OwnSpeeds(), [("all-gather", 32)], noise=0.0)
    report_of = report(log_text(OwnSpeeds(), "all-gather", 32))
    table = report_of.contents["nccl-tests"].tables[0]
    small = [replace(row, size=row.size // 32) for row in table.rows]
    early = replace(report_of.contents["nccl-tests"], tables=(replace(table, rows=tuple(small)),))
    gathered = gather([replace(report_of, contents={"nccl-tests": early})], evaluation())
    assert gathered.points == ()
    assert "do not fit one another" in gathered.left_out[0].reason
    assert len(gather([report_of], evaluation()).points) == len(own)


@pytest.mark.parametrize(
    ("name", "slower", "parts"),
    [
        ("domain_speed", 0.7, {"tensor"}),
        ("network_speed", 0.7, {"data", "sharding"}),
        ("domain_start_up", 3.0, {"tensor"}),
        ("network_start_up", 3.0, {"data", "sharding"}),
    ],
)
def test_each_factor_slows_its_own_collectives(name: str, slower: float, parts: set[str]) -> None:
    def times(value: float) -> dict[str, float]:
        design = default_design().with_values(
            {
                "plan.mode": "manual",
                "plan.tensor": 8,
                "plan.pipeline": 1,
                f"measured.{name}": value,
                "measured.logs": 1,
            }
        )
        found = evaluate(design).step.communication
        return {entry.parallelism: float(entry.total_s) for entry in found}

    as_shipped, own = times(1.0), times(slower)
    moved = {parallelism for parallelism in own if own[parallelism] != as_shipped[parallelism]}
    assert moved == parts
    assert all(own[part] > as_shipped[part] for part in parts)


def test_wires_and_switches_keep_their_latency() -> None:
    machine = evaluation().machine
    slow = replace(machine, own=OwnSpeeds(network_start_up=10.0))
    constants = calibration_for(machine.generation)
    call = next(entry for entry in evaluation().traffic if entry.parallelism == "data")
    before, after = (links_of(call, each, constants) for each in (machine, slow))
    hop, wire = constants.network_hop_s, machine.network_latency
    assert (before.network_latency, after.network_latency) == (wire + hop, wire + 10 * hop)
    assert after.start_up == pytest.approx(10 * before.start_up)
    assert after.domain_latency == before.domain_latency
