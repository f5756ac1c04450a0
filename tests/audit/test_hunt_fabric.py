"""Forms that logs of public repositories have, and what must be said of them."""

from __future__ import annotations

from typing import Any

import pytest

from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.report import FileReport, Finding

TITLES = """\
#                                                       out-of-place                  in-place
#       size   count   type   redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong
#        (B)   (elements)                  (us)  (GB/s) (GB/s)        (us)  (GB/s) (GB/s)
"""
MIB = 1 << 20


def seen(text: str) -> FileReport:
    return audit(document_of("log.txt", text))


def part(report: FileReport, kind: str) -> dict[str, Any]:
    assert kind in report.kinds
    return dict(report.summary)


def finding(report: FileReport, rule: str) -> Finding | None:
    return next((entry for entry in report.findings if entry.rule == rule), None)


def ranks(count: int, per_node: int = 8) -> str:
    return "".join(
        f"#  Rank {n:2} Group  0 Pid {700 + n} on n{n // per_node} device {n % per_node} "
        f"[0x0{n % per_node}] NVIDIA H100\n"
        for n in range(count)
    )


def row(size: int, algbw: float, factor: float, checks: str = "0 0", redop: str = "sum") -> str:
    out, within = checks.split()
    cells = f"{size / algbw / 1e3:.1f} {algbw:.2f} {algbw * factor:.2f}"
    return f"{size} {size // 4} float {redop} -1 {cells} {out} {cells} {within}\n"


def run(count: int, rows: str, per_node: int = 8, settings: bool = True) -> str:
    header = "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) validation: 1 graph: 0\n"
    return (
        (header if settings else "") + "# Using devices\n" + ranks(count, per_node) + TITLES + rows
    )


def rows_of(algbw: float, factor: float, sizes: tuple[int, ...] = (64, 128, 256)) -> str:
    return "".join(row(size * MIB, algbw, factor) for size in sizes)


def only_table(text: str) -> dict[str, Any]:
    tables = part(seen(text), "nccl-tests")["tests"]
    assert len(tables) == 1
    return tables[0]


def test_sendrecv_prints_a_reduction_and_does_not_check_in_place() -> None:
    rows = "".join(row(size * MIB, 25.0, 1.0, "0 N/A") for size in (64, 128, 256))
    report = seen("# Collective test starting: sendrecv_perf\n" + run(4, rows, per_node=1))
    table = part(report, "nccl-tests")["tests"][0]
    assert (table["operation"], table["ranks"]) == ("sendrecv", 4)
    assert finding(report, "operation-contradicted") is None
    assert report.is_healthy


def test_two_ranks_of_an_unchecked_all_reduce_stay_one() -> None:
    rows = "".join(row(size * MIB, 25.0, 1.0, "N/A N/A") for size in (64, 128, 256))
    table = only_table(run(2, rows, per_node=1))
    assert (table["operation"], table["ranks"]) == ("all_reduce", 2)


def test_labels_of_ranks_stand_before_and_in_rows() -> None:
    rows = rows_of(20.0, 1.875)
    parts = rows.replace(" -1 ", " -1[0] ").replace(" 0 ", " 0[0] ")
    labelled = "".join(f"[0] {line}\n" for line in parts.splitlines())
    plain, table = only_table(TITLES + rows), only_table(labelled)
    assert [len(plain["rows"]), plain["ranks"]] == [3, 16]
    places = [{**entry, "line": 0} for entry in table["rows"]]
    assert places == [{**entry, "line": 0} for entry in plain["rows"]]


def test_another_command_does_not_inherit_devices() -> None:
    first = "$ ./build/all_reduce_perf -b 64M -e 256M -g 8\n" + run(8, rows_of(100.0, 1.75))
    second = "$ ./build/sendrecv_perf -b 64M -e 256M -g 2\n" + TITLES
    second += "".join(row(size * MIB, 100.0, 1.0, "0 N/A") for size in (64, 128, 256))
    tests = part(seen(first + second), "nccl-tests")["tests"]
    assert [entry["operation"] for entry in tests] == ["all_reduce", "sendrecv"]
    assert [entry["ranks"] for entry in tests] == [8, None]
    assert not tests[1]["hosts"]


def test_the_old_header_of_rccl_before_a_failure() -> None:
    text = (
        "# nThreads: 1 nGpus: 4 nRanks: 1 minBytes: 8 maxBytes: 134217728 step: 2(factor)\n#\n"
        "# Using devices\n#   Rank  0 Pid 1 on box device  0 [0000:63:00.0] AMD Instinct\n"
        "box: Test NCCL failure common.cu:1285 'internal error'\n"
    )
    report = seen(text)
    assert report.kinds == ("nccl-tests",)
    assert finding(report, "test-failed") is not None


@pytest.mark.parametrize(("smallest", "said"), [(1, False), (MIB // 2, True)])
def test_an_average_without_small_sizes_is_no_matter(smallest: int, said: bool) -> None:
    small = row(smallest, 1.0, 1.75) if said else ""
    rows = small + rows_of(100.0, 1.75, (1, 2, 4, 256))
    text = run(8, rows) + "# Avg bus bandwidth    : 90.5\n"
    assert (finding(seen(text), "average-of-small-sizes") is not None) is said


def test_the_likeliest_of_several_numbers_of_ranks() -> None:
    found = finding(seen(TITLES + rows_of(1.0, 1.98)), "ranks-unknown")
    assert found is not None
    low, high = found.evidence["fewest"], found.evidence["most"]
    fitting = [n for n in range(low, high + 1) if n % 8 == 0]
    assert found.evidence["likely"] == (fitting[0] if len(fitting) == 1 else None)
    assert len(fitting) != 1 or f"{fitting[0]} is the likeliest" in found.message


@pytest.mark.parametrize(("left", "said"), [(0.1, True), (0.6, False)])
def test_a_deep_fall_is_lost_packets(left: float, said: bool) -> None:
    rows = rows_of(40.0, 1.875, (4, 8, 16)) + rows_of(40.0 * left, 1.875, (32, 64, 128))
    found = finding(seen(run(16, rows)), "cliff")
    assert found is not None
    assert ("PFC" in found.message) is said


@pytest.mark.parametrize(("rate", "said"), [(0.3, True), (30.0, False)])
def test_bandwidth_falls_from_two_nodes(rate: float, said: bool) -> None:
    text = run(16, rows_of(50.0, 1.875)) + run(32, rows_of(rate, 1.9375))
    found = finding(seen(text), "falls-with-nodes")
    assert (found is not None) is said
    if found is not None:
        assert found.evidence["nodes"] == [2, 4]
        assert "PFC" in found.message


SUMMARY = "Fabric Summary\n\nTotal Nodes : {0}\nIB Switches : {1}\nIB Channel Adapters : {2}\n\n"
STAGES = "-I- Stage                Warnings   Errors     Comment\n-I- Discovery   {}   0\n"


@pytest.mark.parametrize(("on", "said"), [(3, False), (2, True)])
def test_adaptive_routing_is_counted_among_the_switches_of_its_run(on: int, said: bool) -> None:
    enabled = f"Adaptive Routing is enabled on {on} switches\n"
    text = SUMMARY.format(15, 3, 9) + enabled + STAGES.format(0) + SUMMARY.format(24, 4, 16)
    found = finding(seen(text), "adaptive-routing-off")
    assert (found is not None) is said
    if found is not None:
        assert found.evidence["switches"] == 3


def test_warnings_of_which_only_the_number_stands_in_the_log() -> None:
    found = finding(seen(STAGES.format(3)), "ibdiagnet-warnings")
    assert found is not None
    assert ": ." not in found.message
    assert "does not say" in found.message


@pytest.mark.parametrize(
    "line",
    [
        "-E- Link: S0002c90300688830/N0002c90300688830/P20<-->S0002c90300165e63/"
        "N0002c90300165e60/P1 - Unexpected actual link speed 2.5",
        "-E- leaf07/U1/P13 - Symbol error counter is above the threshold",
    ],
)
def test_an_error_of_ibdiagnet_by_itself(line: str) -> None:
    report = seen(f"The check of last night said:\n\n{line}\n")
    assert report.kinds == ("ibdiagnet",)
    assert finding(report, "ibdiagnet-errors") is not None


DUMP = """\
Switch  8 "S-0000000000200000"  # "leaf" base port 0 lid 1 lmc 0
[1]     "H-0000000000100000"[1](100001)  # "a HCA-1" lid 2 4xSDR
[2]     "H-0000000000100003"[1](100005)  # "b HCA-1" lid 4 4xSDR
"""


def test_the_console_of_ibsim_beside_a_dump() -> None:
    console = (
        'Switch 8 "leaf" nodeguid 200000 sysimgguid 200000\n'
        '200000  [1]  "a"[1]  4x  2.5G Active/LinkUp\n'
        'Ca 2 "a"     nodeguid 100000 sysimgguid 100000\n'
    )
    greeting = 'ibwarn: [6931] sim_connect: attached as client 1 at node "leaf"\n'
    report = seen(console + greeting + DUMP)
    summary = part(report, "ibnetdiscover")
    assert (summary["switches"], summary["hosts"], summary["links"]) == (1, 2, 2)
    assert report.is_healthy


def test_a_question_without_an_answer_still_counts() -> None:
    report = seen("ibwarn: [12] mad_rpc: _do_madrpc failed; dport (Lid 3)\n" + DUMP)
    assert finding(report, "discovery-incomplete") is not None


def test_hidden_ids_do_not_make_two_hosts_one() -> None:
    hidden = "".join(
        f'[{n}]  "H-946d<redacted>"[1](946d<redacted>)  # "node{n} mlx5_2" lid {n} 2xNDR\n'
        for n in (1, 2, 3)
    )
    text = 'Switch 129 "S-9c05<redacted>"  # "MF0;leaf:MQM9700/U1" enhanced port 0 lid 9 lmc 0\n'
    back = 'Ca 1 "H-946d<redacted>"  # "node1 mlx5_2"\n'
    back += '[1](946d<redacted>)  "S-9c05<redacted>"[1]  # lid 1 lmc 0 "MF0;leaf:MQM9700/U1" '
    back += "lid 9 2xNDR\n"
    summary = part(seen(text + hidden + back), "ibnetdiscover")
    assert (summary["switches"], summary["hosts"], summary["links"]) == (1, 3, 3)


UP = "==( 4X      25.78125 Gbps Active/  LinkUp)==>"
CARD = f'CA: n2 HCA-1:\n   0xec0d9a03003d62be   4   1[  ] {UP}   2  36[  ] "leaf" ( )\n'
DOWN = '   2  37[  ] ==(                Down/ Polling)==>             [  ] "" ( )\n'


@pytest.mark.parametrize(("more", "code"), [("", "excerpt"), (DOWN, "one-sided-link")])
def test_a_list_of_ports_that_ends_early_is_an_excerpt(more: str, code: str) -> None:
    leaf = f'Switch: 0x506b4b0300820910 leaf:\n   2   1[  ] {UP}   1   1[  ] "n1 HCA-1" ( )\n'
    report = seen(CARD + leaf + more)
    codes = {entry.rule for entry in report.findings} & {"excerpt", "one-sided-link"}
    assert codes == {code}
    assert report.is_healthy is (code == "excerpt")


def test_lines_of_a_switch_alone() -> None:
    lines = "".join(
        f'0x0000000000200002 "  su1-r1"   4  {n}[  ] {UP}  0x000000000010000{n}  {n + 4}  1[  ] '
        f'"gpu0{n} mlx5_0" ( )\n'
        for n in (1, 2)
    )
    summary = part(seen(lines), "iblinkinfo")
    assert (summary["switches"], summary["hosts"]) == (1, 2)


def test_switches_of_one_name_are_told_apart() -> None:
    text = ""
    for leaf in (1, 2):
        text += f'Switch 36 "S-000000000000000{leaf}"  # "SwitchIB Mellanox Technologies" base\n'
        for port in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10):
            speed = "4xDDR" if (leaf, port) == (2, 3) else "4xEDR"
            far = f"{leaf}{port:02}"
            text += f'[{port}] "H-0000000000000{far}"[1]  # "n{far} HCA-1" lid {far} {speed}\n'
    found = finding(seen(text), "slow-link")
    assert found is not None
    assert (
        "SwitchIB Mellanox Technologies (S-0000000000000002) port 3 to n203 HCA-1" in found.message
    )
    assert "leaf to hosts named n*" in found.message


@pytest.mark.parametrize("line", ["{0} {1} {2} {3}", "| {0} | {1} | {2} | {3} |"])
def test_a_table_that_somebody_shortened(line: str) -> None:
    head = "mpirun -np 2 -H a:1,b:1 ./build/all_gather_perf -b 16G -e 16G\n\nResult:\n"
    names = line.format("size", "time", "algbw", "busbw") + "\n"
    rows = line.format(17179869184, 387603, 44.32, 22.16) + "\n"
    table = only_table(head + names + rows + "# Avg bus bandwidth    : 21.9736\n")
    assert (table["operation"], table["ranks"], table["sizes"]) == ("all_gather", 2, 1)
    assert (table["peak_busbw_gbs"], table["avg_busbw_gbs"]) == (22.16, 21.9736)


def test_numbers_that_contradict_each_other_are_no_row_of_a_shortened_table() -> None:
    text = "size time algbw busbw\n17179869184 387603 44.32 22.16\n4096 3 900 1\n"
    assert only_table(text)["sizes"] == 1
