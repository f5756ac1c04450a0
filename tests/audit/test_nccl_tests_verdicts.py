"""What is said of nccl-tests tables: every verdict once, and silence where all is well."""

from __future__ import annotations

import string
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nccl_tests_text import columns_text, factor_of, footer_text, ranks_text, row_text, run_text

from netdesign.audit.context import Context, line_rate_of
from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.nccl_tests import KIND
from netdesign.audit.nccl_tests.tables import NcclTests
from netdesign.audit.report import Finding

MIB, GIB = 2**20, 2**30
NDR = Context(line_rate_of("400G"), 8)  # 400 GB/s a node


def content_of(text: str, name: str = "log.txt") -> NcclTests:
    content, _ = KIND.read(document_of(name, text))
    assert isinstance(content, NcclTests)
    return content


def findings(text: str, context: Context | None = None, name: str = "log.txt") -> list[Finding]:
    return list(KIND.judge(content_of(text, name), context or Context()))


def rules(text: str, context: Context | None = None, name: str = "log.txt") -> dict[str, str]:
    """Severity by rule."""
    return {found.rule: found.severity for found in findings(text, context, name)}


def faults(text: str, context: Context | None = None) -> set[str]:
    return {rule for rule, severity in rules(text, context).items() if severity != "note"}


def message(text: str, rule: str, context: Context | None = None) -> str:
    return next(found.message for found in findings(text, context) if found.rule == rule)


def sweep(
    gbs: float, *, ranks: int, per_node: int, operation: str = "all_reduce", name: str = "H100"
) -> str:
    """A smooth run that ends at a bus bandwidth."""
    factor = factor_of(operation, ranks)
    times = [
        (size, 20 + size * factor / gbs / 1e3) for size in (2**power for power in range(10, 35))
    ]
    return run_text(times, ranks=ranks, per_node=per_node, name=name, operation=operation)


def with_times(micros: Sequence[float], first: int = 8, **kept: int) -> str:
    times = [(first << place, time) for place, time in enumerate(micros)]
    return run_text(times, ranks=kept.get("ranks", 16), per_node=kept.get("per_node", 8))


def test_four_healthy_nodes() -> None:
    text = sweep(380, ranks=32, per_node=8)
    assert faults(text, NDR) == set()
    assert rules(text, NDR)["near-line-rate"] == "note"
    assert "95%" in message(text, "near-line-rate", NDR)


def test_the_line_rate_is_asked_for() -> None:
    text = sweep(380, ranks=32, per_node=8)
    assert faults(text) == set()
    assert "--line-rate" in message(text, "line-rate-unknown")


def test_two_nodes_above_the_line_are_healthy() -> None:
    assert rules(sweep(488, ranks=16, per_node=8), NDR)["two-node-tree"] == "note"
    assert faults(sweep(488, ranks=16, per_node=8), NDR) == set()


@pytest.mark.parametrize(
    ("ranks", "operation"), [(32, "all_reduce"), (16, "all_gather"), (16, "reduce_scatter")]
)
def test_more_than_the_line_is_inconsistent_elsewhere(ranks: int, operation: str) -> None:
    text = sweep(488, ranks=ranks, per_node=8, operation=operation)
    assert faults(text, NDR) == {"above-line-rate"}


@pytest.mark.parametrize(("gbs", "cause"), [(48, "one-nic"), (200, "unknown"), (9, "tcp-fallback")])
def test_below_the_line_with_a_cause(gbs: float, cause: str) -> None:
    text = sweep(gbs, ranks=32, per_node=8)
    assert faults(text, NDR) == {"below-line-rate"}
    (found,) = (found for found in findings(text, NDR) if found.rule == "below-line-rate")
    assert found.evidence["causes"][0] == cause
    assert found.evidence["share"] == pytest.approx(gbs / 400, rel=0.01)


def test_all_to_all_is_held_against_the_nic_of_a_gpu() -> None:
    # 32 GPUs on 4 nodes: 50 GB/s a GPU, of which 24 of 31 messages leave the node.
    most = 50 * 31 / 24
    assert faults(sweep(0.9 * most, ranks=32, per_node=8, operation="alltoall"), NDR) == set()
    assert faults(sweep(0.5 * most, ranks=32, per_node=8, operation="alltoall"), NDR) == {
        "below-line-rate"
    }


def test_send_and_receive_use_the_nic_of_one_gpu() -> None:
    assert faults(sweep(26, ranks=16, per_node=8, operation="sendrecv"), NDR) == set()
    assert faults(sweep(14, ranks=16, per_node=8, operation="sendrecv"), NDR) == {"below-line-rate"}
    # Four GPUs share one NIC, and only one of them sends to the other node.
    shared = Context(line_rate_of("400G"), 1)
    assert faults(sweep(48, ranks=8, per_node=4, operation="sendrecv"), shared) == set()


def test_an_operation_without_a_bound_is_not_judged_by_the_line() -> None:
    rows = row_text(GIB, 4000, 15 / 16, redop="none", root=0, shares=16)
    head = "# Collective test starting: scatter_perf\n" + ranks_text(16, 8) + columns_text()
    assert faults(head + rows, NDR) == set()


def test_one_gpu_a_node_uses_one_nic() -> None:
    text = sweep(48, ranks=2, per_node=1)
    assert faults(text, NDR) == set()
    assert rules(text, NDR)["few-gpus"] == "note"


def test_sums_in_the_switch_are_healthy() -> None:
    text = sweep(480, ranks=8, per_node=8, name="NVIDIA H100 80GB HBM3")
    assert rules(text)["in-switch-reduction"] == "note"
    assert faults(text, NDR) == set()
    other = sweep(480, ranks=8, per_node=8, name="NVIDIA H100 80GB HBM3", operation="all_gather")
    assert faults(other) == {"above-scale-up"}


@pytest.mark.parametrize(("gbs", "severity"), [(365, "note"), (40, "warning")])
def test_a_node_against_its_nvlink(gbs: float, severity: str) -> None:
    found = rules(sweep(gbs, ranks=8, per_node=8, name="NVIDIA H100 80GB HBM3"))
    assert found.get("scale-up-share" if severity == "note" else "below-scale-up") == severity


def test_a_card_on_pcie_is_not_held_against_nvlink() -> None:
    assert faults(sweep(40, ranks=8, per_node=8, name="NVIDIA H100 PCIe")) == set()


def test_a_rack_that_is_one_domain_is_not_held_against_nics() -> None:
    text = sweep(840, ranks=72, per_node=4, name="NVIDIA GB200")
    assert faults(text, NDR) == set()
    assert "93%" in message(text, "scale-up-share", NDR)


def test_wrong_results_make_bandwidth_invalid() -> None:
    rows = row_text(MIB, 52.43, 1.5, wrong="262144")
    text = ranks_text(4, 2) + columns_text() + rows + footer_text(30, "8 FAILED")
    assert faults(text, NDR) == {"wrong-results"}
    assert "INVALID" in message(text, "wrong-results")
    only = (
        ranks_text(4, 2) + columns_text() + row_text(MIB, 52.43, 1.5) + footer_text(30, "8 FAILED")
    )
    assert "wrong-results" in faults(only)


def test_results_that_nobody_checked() -> None:
    row = row_text(MIB, 52.43, 1.5, wrong="N/A")
    text = ranks_text(4, 2) + columns_text() + row + footer_text(30)
    assert rules(text)["not-verified"] == "note"
    assert "0 OK counts nothing" in message(text, "not-verified")


def test_a_run_without_rows() -> None:
    text = sweep(380, ranks=32, per_node=8)
    empty = text[: text.index("        1024")]
    assert faults(empty) == {"incomplete-run"}
    found = [found for found in findings(text + empty, NDR) if found.rule == "incomplete-run"]
    assert [entry.where.split()[:2] for entry in found] == [["table", "2"]]


def test_a_run_that_stops() -> None:
    text = sweep(380, ranks=32, per_node=8)
    cut = text[: text.index("  1073741824")]
    assert faults(cut, NDR) == {"incomplete-run"}
    assert "512 MiB of 16 GiB" in message(cut, "incomplete-run")


def test_a_test_that_reports_a_failure() -> None:
    text = sweep(380, ranks=32, per_node=8)
    cut = text[: text.index("  1073741824")]
    cut += "node0: Test NCCL failure common.cu:1012 'unhandled system error'\n"
    assert "test-failed" in faults(cut)
    assert "unhandled system error" in message(cut, "test-failed")


def test_an_average_below_what_was_asked_for() -> None:
    text = sweep(380, ranks=32, per_node=8)
    failed = text.replace(" \n#\n# Coll", " FAILED\n#\n# Coll")
    assert faults(failed, NDR) == {"below-required-average"}


def test_one_rank() -> None:
    text = ranks_text(1, 1) + columns_text() + row_text(GIB, 500, 0) + footer_text(0)
    assert faults(text) == {"single-rank"}
    launched = "$ mpirun -np 8 ./build/all_reduce_perf -b 1G -e 1G -g 1\n" + text
    assert "8 separate runs" in message(launched, "single-rank")
    assert "MPI=1" in message(launched, "single-rank")


def test_runs_side_by_side() -> None:
    heads = "".join(ranks_text(1, 1).replace("  1000", f"  {pid}") for pid in range(2000, 2004))
    rows = "".join(row_text(size, 500, 0) * 4 for size in (MIB, GIB))
    text = heads + columns_text() * 4 + rows + footer_text(0) * 4
    assert faults(text) == {"single-rank"}
    assert "4 separate runs" in message(text, "single-rank")
    text = heads + (columns_text() + rows + footer_text(0)) * 4
    assert len(content_of(text).tables) == 1
    assert faults(text) == {"single-rank"}


def test_two_rank_lists_are_not_runs_of_one_rank() -> None:
    lists = ranks_text(8, 8) + ranks_text(8, 8).replace("  1000", "  2000")
    text = lists + columns_text() + row_text(GIB, 5000, 1.75) + footer_text(375)
    assert "single-rank" not in rules(text)
    assert [table.ranks for table in content_of(text).tables] == [8]


def test_still_rising() -> None:
    text = with_times([2000, 2000, 2000, 2000], first=MIB, ranks=4)
    assert rules(text)["still-rising"] == "note"
    # 1024 ranks have 8 KiB of it each.
    text = with_times([2000, 2000, 2000, 2000], first=MIB, ranks=1024)
    assert rules(text)["still-rising"] == "warning"
    assert "Test bigger messages" in message(text, "still-rising")


def test_a_rising_end_near_the_line_is_none() -> None:
    text = with_times([1000, 1500, 2500, 4500], first=128 * MIB, ranks=32)
    assert "still-rising" in rules(text)
    assert "near-line-rate" in rules(text, Context(line_rate_of("400G"), 10))
    assert "still-rising" not in rules(text, Context(line_rate_of("400G"), 10))


def test_small_messages_that_are_slow_again_and_again() -> None:
    text = with_times([83, 84, 82, 83, 84, 83, 82, 36, 37, 38, 40], first=8, ranks=4)
    found = rules(text)
    assert found["small-messages-slow"] == "note"
    assert "jitter" not in found
    assert "outlier" not in found


def test_falling_end() -> None:
    text = with_times([100, 200, 400, 1000], first=64 * MIB, ranks=4)
    assert faults(text) == {"falling-end"}
    assert "falling-end" not in faults(with_times([100, 200, 400, 802], first=64 * MIB, ranks=4))


def test_a_cliff() -> None:
    text = with_times([100, 200, 800, 1000, 1650], first=64 * MIB, ranks=4)
    assert faults(text) == {"cliff"}
    (found,) = (found for found in findings(text) if found.rule == "cliff")
    assert found.evidence["size_bytes"] == 256 * MIB


def test_jitter_and_the_median() -> None:
    small = [580, 84, 122, 577, 88, 130, 576, 89, 132, 587, 98, 147]
    text = with_times([*small, 200, 300, 500, 900, 1700])
    assert "jitter" in faults(text)
    assert "median of small messages, 131" in message(text, "jitter")


def test_one_measurement_stands_out() -> None:
    rows = "".join(
        row_text(size, time, 1.875, in_place=other)
        for size, time, other in (
            (131072, 55, 54),
            (524288, 325, 79),
            (2097152, 124, 126),
            (8388608, 199, 200),
        )
    )
    text = columns_text() + rows
    (found,) = (found for found in findings(text) if found.rule == "outlier")
    assert found.severity == "note"
    assert found.evidence == {"size_bytes": 524288, "time_us": 325.0, "usual_us": 79.0}


def test_halves_that_differ() -> None:
    rows = "".join(row_text(size, 500, 1.5, in_place=700) for size in (GIB, 2 * GIB))
    assert rules(columns_text() + rows)["halves-differ"] == "note"


def test_the_average_is_no_headline() -> None:
    assert "judge by the large ones" in message(
        sweep(380, ranks=32, per_node=8), "average-of-small-sizes"
    )


@pytest.mark.parametrize(("ranks", "said"), [(16, 8), (96, 64)])
def test_the_ratio_wins_over_the_name_of_a_job(ranks: int, said: int) -> None:
    row = row_text(GIB, 5000, 2 * (ranks - 1) / ranks)
    text = f"run-{said}-worker-0   1/1  Running\nrun-{said}-worker-1   1/1  Running\n"
    text += columns_text() + row + footer_text(200)
    (table,) = content_of(text).tables
    assert (table.ranks, table.ranks_from) == (ranks, "ratio")
    if said > 10:
        assert rules(text)["job-name-contradicted"] == "note"


def test_ranks_of_the_surroundings() -> None:
    row = row_text(GIB, 5000, 1, redop="none") + footer_text(214)
    command = "$ mpirun -np 16 -N 8 --hostfile hosts ./sendrecv_perf -b 1G -e 1G\n"
    (table,) = content_of(command + columns_text() + row).tables
    assert (table.operation, table.ranks, table.nodes) == ("sendrecv", 16, 2)
    command = "srun -N2 --ntasks-per-node=4 --mpi=pmix \\\n  ./build/sendrecv_perf -b 1G -e 1G\n"
    (table,) = content_of(command + columns_text() + row).tables
    assert (table.ranks, table.nodes) == (8, 2)
    (table,) = content_of("SLURM_NTASKS=24\nSLURM_NNODES=3\n" + columns_text() + row).tables
    assert (table.ranks, table.nodes) == (24, 3)
    text = "SLURM_NTASKS=24\nmpirun --bind-to none ./build/sendrecv_perf \\\n  -n 20 -g 2\n"
    (table,) = content_of(text + columns_text() + row).tables
    assert table.ranks == 48


def test_one_process_is_on_one_node() -> None:
    head = "# nThread 1 nGpus 8 minBytes 8 maxBytes 128 step: 2(factor) warmup iters: 5 iters: 20\n"
    (table,) = content_of(head + columns_text() + row_text(GIB, 4000, 1.75)).tables
    assert (table.ranks, table.nodes, table.nodes_from) == (8, 1, "settings")
    row = row_text(GIB, 5000, 1, redop="none")
    (table,) = content_of("SLURM_NTASKS=2\n" + head + columns_text() + row).tables
    assert (table.ranks, table.nodes) == (16, None)


def test_above_the_line_on_an_unknown_number_of_nodes() -> None:
    text = columns_text() + row_text(16 * GIB, 62648, 1.75) + footer_text(480)
    assert rules(text, NDR)["above-line-rate"] == "note"


def test_asked_ranks_that_the_rows_deny() -> None:
    text = "SLURM_NTASKS=64\n" + columns_text() + row_text(GIB, 5000, 1.875) + footer_text(400)
    assert content_of(text).tables[0].ranks == 16
    assert rules(text)["asked-ranks-contradicted"] == "note"


def test_only_the_last_rank_line() -> None:
    lines = ranks_text(72, 4).splitlines(keepends=True)
    text = lines[-1] + columns_text() + row_text(GIB, 3000, 2 * 71 / 72) + footer_text(700)
    (table,) = content_of(text).tables
    assert (table.ranks, table.ranks_from) == (72, "rank lines")
    assert (table.nodes, table.nodes_from) == (18, "device numbers")


def test_only_the_first_rank_line() -> None:
    head = ranks_text(1, 1) + "...\n"
    text = head + columns_text() + row_text(GIB, 5000, 1.875) + footer_text(400)
    (table,) = content_of(text).tables
    assert (table.operation, table.ranks, table.ranks_from) == ("all_reduce", 16, "ratio")
    assert faults(text) == set()


def test_first_and_last_ranks_of_nodes() -> None:
    lines = ranks_text(16, 8).splitlines(keepends=True)
    kept = [lines[2], lines[9], lines[10], lines[17]]
    text = "".join(kept) + columns_text() + row_text(GIB, 5000, 1.875) + footer_text(400)
    (table,) = content_of(text).tables
    assert (table.ranks, table.nodes) == (16, 2)


def test_a_list_of_another_run_is_given_up() -> None:
    text = ranks_text(4, 4) + columns_text() + row_text(GIB, 5000, 1.875) + footer_text(400)
    assert content_of(text).tables[0].ranks == 16
    assert rules(text)["rank-list-contradicted"] == "note"


def test_nodes_are_asked_for() -> None:
    text = columns_text() + row_text(GIB, 5000, 1.875) + footer_text(400)
    assert content_of(text).tables[0].nodes is None
    assert rules(text)["nodes-unknown"] == "note"


def test_an_operation_that_cannot_be_told() -> None:
    row = row_text(GIB, 5000, 0.875, redop="none", shares=8, wrong="N/A")
    text = columns_text() + row + footer_text(188)
    (table,) = content_of(text).tables
    assert (table.operation, table.ranks) == (None, 8)
    assert "all_gather or alltoall?" in message(text, "operation-unknown")
    checked = columns_text() + row_text(GIB, 5000, 0.875, redop="none", shares=8)
    assert content_of(checked).tables[0].operation == "all_gather"
    end = checked.rstrip()
    assert content_of(end[:-1] + "N/A\n").tables[0].operation == "alltoall"


def test_the_name_of_a_file_tells_an_operation() -> None:
    row = row_text(GIB, 5000, 0.875, redop="none", shares=8, wrong="N/A")
    (table,) = content_of(columns_text() + row, "run-alltoall-8.log").tables
    assert (table.operation, table.operation_from) == ("alltoall", "file name")


def test_a_mislabelled_run() -> None:
    rows = columns_text() + row_text(GIB, 5000, 1.875) + footer_text(400)
    text = "# Collective test starting: all_gather_perf\n" + ranks_text(16, 8) + rows
    assert "mislabelled" in faults(text)
    assert content_of(text).tables[0].operation == "all_reduce"


def test_reduce_scatter_by_its_columns() -> None:
    row = row_text(GIB, 5000, 0.9375, shares=16)
    (table,) = content_of(columns_text() + row).tables
    assert (table.operation, table.ranks, table.ranks_from) == ("reduce_scatter", 16, "count")


def test_early_versions_print_a_ratio_of_one() -> None:
    row = row_text(GIB, 5000, 1.0, shares=16)
    text = ranks_text(16, 8) + columns_text() + row + footer_text(214.7)
    (table,) = content_of(text).tables
    assert (table.operation, table.ranks) == ("reduce_scatter", 16)
    assert table.ranks_from == "rank lines"
    assert "mislabelled" not in faults(text)


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        ("Connected all rings, use ring PXN 0 GDR 0", "gpudirect-off"),
        ("NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'", "gpudirect-off"),
        ("Channel 00/0 : 7[7] -> 8[0] [receive] via NET/Socket/0", "tcp-fallback"),
        ("Channel 00/0 : 7[7] -> 8[0] [receive] via NET/IB/1(3)/GDRDMA", "one-nic"),
    ],
)
def test_the_log_of_nccl_tells_the_cause(log: str, cause: str) -> None:
    head, rest = sweep(50, ranks=16, per_node=8).split("#\n#  ", 1)
    text = f"{head}node0:1:2 [0] NCCL INFO {log}\n#\n#  {rest}"
    (found,) = (found for found in findings(text, NDR) if found.rule == "below-line-rate")
    assert found.evidence["causes"][0] == cause
    whole = audit(document_of("log", text), NDR).findings
    assert sum(found.rule == cause for found in whole) == (cause != "one-nic")


def test_settings_and_versions_that_contradict() -> None:
    text = sweep(380, ranks=32, per_node=8)
    said = text.replace("maxBytes 17179869184", "maxBytes 2147483648")
    assert rules(said)["settings-contradicted"] == "note"
    said = text.replace("minBytes 1024", "minBytes 8").replace("        1024", "#")
    assert "average-contradicted" not in rules(text)
    said = "# nccl-tests version 2.17.6 nccl-headers=22703 nccl-library=22807\n" + text
    assert rules(said)["versions-differ"] == "note"
    said = text.replace("#\n# Using", "NCCL version 2.22.3+cuda12.2\n#\n# Using")
    assert rules(said, name="run-v2.20.3-1.log")["file-name-contradicted"] == "note"
    assert "file-name-contradicted" not in rules(said, name="run-v2.22.3-1.log")


def test_an_average_of_other_rows() -> None:
    text = sweep(380, ranks=32, per_node=8)
    lines = [line for line in text.splitlines() if "float" not in line or line[:8].strip() == ""]
    assert "average-contradicted" in rules("\n".join(lines))


def test_groups() -> None:
    lines = ranks_text(16, 8).splitlines(keepends=True)
    split = [line.replace("Group  0", f"Group  {place % 2}") for place, line in enumerate(lines)]
    text = "".join(split) + columns_text() + row_text(GIB, 5000, 1.75) + footer_text(375)
    (table,) = content_of(text).tables
    assert (table.ranks, table.groups, table.communicator) == (16, 2, 8)
    assert rules(text)["several-groups"] == "note"
    row = row_text(GIB, 5000, 0.875, redop="none", shares=8)
    (table,) = content_of("".join(split) + columns_text() + row).tables
    assert (table.operation, table.ranks, table.communicator) == ("all_gather", 16, 8)


def pair(gbs: float, first: int, second: int) -> str:
    text = sweep(gbs, ranks=16, per_node=8)
    return text.replace("node0 ", f"rack-{first} ").replace("node1 ", f"rack-{second} ")


def test_one_node_of_all_slow_pairs() -> None:
    text = pair(380, 1, 2) + pair(190, 1, 3) + pair(378, 2, 4) + pair(382, 1, 4) + pair(200, 3, 4)
    (found,) = (found for found in findings(text, NDR) if found.rule == "sick-node")
    assert (found.evidence["hosts"], found.evidence["tables"]) == (["rack-3"], [2, 5])
    text = pair(380, 1, 2) + pair(190, 1, 3) + pair(378, 2, 4) + pair(382, 1, 4)
    (found,) = (found for found in findings(text, NDR) if found.rule == "sick-node")
    assert found.evidence["hosts"] == ["rack-3"]
    assert "sick-node" not in rules(pair(380, 1, 2) + pair(378, 1, 3) + pair(382, 2, 3), NDR)


def test_two_runs_that_differ() -> None:
    assert rules(pair(88, 1, 2) + pair(49, 1, 2))["runs-differ"] == "note"


def test_more_nodes_keep_the_bandwidth() -> None:
    few = sweep(380, ranks=32, per_node=8)
    assert "falls-with-nodes" in faults(few + sweep(150, ranks=128, per_node=8))
    assert "falls-with-nodes" not in faults(few + sweep(370, ranks=128, per_node=8))
    # The figure of two nodes is inflated and foretells nothing.
    assert "falls-with-nodes" not in faults(sweep(480, ranks=16, per_node=8) + few)


WHOLE = sweep(380, ranks=32, per_node=8) + sweep(48, ranks=8, per_node=4, operation="alltoall")


@given(st.data())
@settings(max_examples=80)
def test_cut_spliced_and_spoilt_files_never_raise(data: st.DataObject) -> None:
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(WHOLE)))
        parts.append(WHOLE[start : start + data.draw(st.integers(0, 6000))])
        parts.append(data.draw(st.text(string.printable + "é\x00\x1b", max_size=60)))
    context = data.draw(st.sampled_from([Context(), NDR]))
    content = content_of("".join(parts))
    summary = KIND.summarise(content)
    assert len(summary["tests"]) == len(content.tables)
    KIND.judge(content, context)


@given(st.data())
@settings(max_examples=80)
def test_other_figures_in_cells_never_raise(data: st.DataObject) -> None:
    cell = st.sampled_from(
        ["0", "1", "-1", "nan", "-inf", "N/A", "9" * 30, "1e308", "1e-320", "-5", "0.00", "x", ""]
    )
    words = st.sampled_from(["float", "int8", "sum", "none", "NCCL INFO", "#", "Rank", "device"])
    lines = data.draw(
        st.lists(st.lists(cell | words, min_size=8, max_size=14).map("  ".join), max_size=12)
    )
    head = data.draw(st.sampled_from(["", columns_text(), ranks_text(4, 2) + columns_text()]))
    content = content_of(head + "\n".join(["8 2 float " + line for line in lines] + lines))
    KIND.summarise(content)
    KIND.judge(content, NDR)


@given(st.binary(max_size=400))
@settings(max_examples=100)
def test_any_bytes(content: bytes) -> None:
    found, _ = KIND.read(document_of("x", b"# nThread 1 nGpus 1 " + content))
    KIND.judge(found, NDR)
    KIND.summarise(found)
