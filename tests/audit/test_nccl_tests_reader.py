"""nccl-tests text of every version, in the state in which people hand it over."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nccl_tests_text import (
    columns_text,
    footer_text,
    ranks_text,
    row_text,
    settings_text,
    side_text,
)

from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.nccl_tests import KIND
from netdesign.audit.nccl_tests.tables import NcclTests, Table

SETTINGS = settings_text(1048576, 4194304)
COLUMNS = columns_text()
RANKS = ranks_text(4, 2)
ROWS = (  # of four ranks: 30, 52.5 and 75 GB/s
    row_text(1048576, 52.43, 1.5).rstrip(),
    row_text(2097152, 59.92, 1.5).rstrip(),
    row_text(4194304, 83.89, 1.5).rstrip(),
)
FOOTER = footer_text(52.5)
RUN = SETTINGS + RANKS + COLUMNS + "\n".join(ROWS) + "\n" + FOOTER


def read(text: str | bytes, name: str = "log.txt") -> NcclTests:
    content, _ = KIND.read(document_of(name, text))
    assert isinstance(content, NcclTests)
    return content


def table(text: str | bytes, name: str = "log.txt") -> Table:
    (found,) = read(text, name).tables
    return found


def rates(found: Table) -> list[float]:
    """Out of place, GB/s."""
    return [row.out_of_place.busbw / 1e9 for row in found.rows if row.out_of_place]


def entry(text: str | bytes, name: str = "log.txt") -> dict[str, Any]:
    (found,) = KIND.summarise(read(text, name))["tests"]
    assert isinstance(found, dict)
    return found


def test_a_whole_run() -> None:
    found = entry(RUN)
    assert (found["operation"], found["operation_from"]) == ("all_reduce", "columns")
    assert (found["ranks"], found["nodes"], found["sizes"]) == (4, 2, 3)
    assert found["hosts"] == ["node0", "node1"]
    assert found["devices"] == ["NVIDIA H100 80GB HBM3"]
    assert (found["avg_busbw_gbs"], found["avg_from"]) == (52.5, "printed")
    assert (found["peak_busbw_gbs"], found["peak_size_bytes"]) == (75, 4194304)
    assert (found["peak_algbw_gbs"], found["last_busbw_gbs"]) == (50, 75)
    assert (found["in_place_peak_busbw_gbs"], found["in_place_last_busbw_gbs"]) == (75, 75)
    assert (found["wrong"], found["verified"], found["complete"]) == (0, True, True)
    assert found["factor"] == 1.5
    assert found["smallest_latency_us"] == 52.43
    assert found["rows"][0]["time_us"] == 52.43
    assert (found["first_line"], found["last_line"]) == (1, 16)


def test_every_line_of_a_run_is_understood() -> None:
    assert audit(document_of("log", RUN)).not_understood == ()


def test_si_inside() -> None:
    side = table(RUN).rows[0].in_place
    assert side is not None
    assert side.time == pytest.approx(52.43e-6)
    assert (side.algbw, side.busbw, side.wrong) == (20e9, 30e9, 0)


@pytest.mark.parametrize(
    "line",
    [
        "[1,0]<stdout>:{}",
        "[prterun-node-0-17@1,0]<stdout>: {}",
        "0: {}",
        " 12: {}",
        "node-3: {}",
        "[pod/run-launcher-x/main] {}",
        "2026-01-02T03:04:05.678Z stdout F {}",
        "Jan  2 03:04:05 node3 test[123]: {}",
        "    {}",
        "> {}",
        "# {}",
        "\x1b[32m{}\x1b[0m",
        '    "{}",',
        "\t{}",
    ],
)
def test_what_stands_before_a_line(line: str) -> None:
    text = "".join(line.format(part) + "\n" for part in RUN.splitlines())
    found = table(text)
    assert rates(found) == [30, 52.5, 75]
    assert (found.ranks, found.nodes, found.operation) == (4, 2, "all_reduce")
    assert found.printed_average == 52.5e9


def test_carriage_returns_and_markdown() -> None:
    assert rates(table(RUN.replace("\n", "\r\n"))) == [30, 52.5, 75]
    assert rates(table(f"# Results\n\n```bash\n{RUN}```\n\nThat is *good*.\n")) == [30, 52.5, 75]


def test_a_row_as_a_markdown_table() -> None:
    row = "| " + " | ".join(ROWS[0].split()) + " |\n"
    assert rates(table(row)) == [30]


def test_spaces_are_collapsed() -> None:
    assert rates(table("\n".join(" ".join(line.split()) for line in RUN.splitlines()))) == [
        30,
        52.5,
        75,
    ]


def test_the_launcher_prefix_stands_inside_a_row() -> None:
    row = ROWS[0]
    broken = f"[1,0]<stdout>:{row[:56]}[1,0]<stdout>:{row[56:90]}[1,0]<stdout>:{row[90:]}\n"
    assert rates(table(broken)) == [30]


@pytest.mark.parametrize("cut", [56, 88])
def test_log_lines_break_a_row(cut: int) -> None:
    log = "node0:1000:1044 [0] NCCL INFO Channel 00/0 : 1[1] -> 2[0] [receive] via NET/IB/1\n"
    text = COLUMNS + ROWS[0][:cut] + log + log + ROWS[0][cut:] + "\n" + ROWS[1] + "\n"
    found = table(text)
    assert rates(found) == [30, 52.5]
    assert all(row.in_place is not None for row in found.rows)


def test_a_row_goes_on_at_the_end_of_a_log_line() -> None:
    log = "node0:1000:1044 [0] NCCL INFO Channel 00/0 : 1[1] -> 2[0]"
    text = COLUMNS + ROWS[0][:54] + "\n" + log + ROWS[0][54:] + "\n"
    assert rates(table(text)) == [30]


def test_a_launcher_that_starts_a_line_for_every_part_of_a_row() -> None:
    row = ROWS[0]
    text = COLUMNS + f"0: {row[:56]}\n0: {row[56:88]}\n0: {row[88:]}\n0: {ROWS[1]}\n"
    assert rates(table(text)) == [30, 52.5]


def test_log_lines_between_rows() -> None:
    log = "node0:1000:1044 [0] NCCL INFO comm 0x1 rank 0 nRanks 4 nNodes 2 localRanks 2\n"
    found = table(log.join(line + "\n" for line in RUN.splitlines()))
    assert rates(found) == [30, 52.5, 75]
    assert found.network.nodes == 2


OLD_NAMES = "     time   algbw   busbw  error" * 2
OLD_UNITS = "     (us)  (GB/s)  (GB/s)       " * 2


def test_a_blank_redop_cell_and_sizes_of_zero() -> None:
    empty = side_text(1.63, 0, 0, "N/A") * 2
    full = side_text(167.8, 100, 50, "N/A") + side_text(335.5, 50, 25, "N/A")
    text = (
        "# nThread 1 nGpus 2 minBytes 1 maxBytes 16777216 step: 2(factor) warmup iters: 5 "
        "iters: 20 validation: 0\n"
        "#   Rank  0 Pid 7 on localhost device  0 [0x00] A100-SXM4-40GB\n"
        "#   Rank  1 Pid 7 on localhost device  1 [0x00] A100-SXM4-40GB\n"
        f"#       size         count    type   redop{OLD_NAMES}\n"
        f"#        (B)    (elements)                {OLD_UNITS}\n"
        f"           0             0   float        {empty}\n"
        f"           0             0   float        {empty}\n"
        f"    16777216       2097152   float        {full}\n"
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.5\n"
    )
    found = entry(text)
    assert (found["operation"], found["ranks"], found["nodes"]) == ("alltoall", 2, 1)
    assert (found["sizes"], found["verified"], found["wrong"]) == (3, False, None)
    assert (found["peak_busbw_gbs"], found["smallest_latency_us"]) == (50, 167.8)
    gathered = text.replace("   redop", "").replace("   float        ", "   float")
    assert entry(gathered)["operation"] == "all_gather"


def test_an_old_reduction_prints_its_deviation() -> None:
    text = (
        f"#       size         count    type   redop{OLD_NAMES}\n"
        f"#        (B)    (elements)                {OLD_UNITS}\n"
        "     1048576        262144   float     sum"
        f"{side_text(52.43, 20, 30, '2e-07')}{side_text(52.43, 20, 30, '0e+00')}\n"
    )
    side = table(text).rows[0].out_of_place
    assert side is not None
    assert (side.wrong, side.deviation) == (None, 2e-07)
    assert table(text).is_verified


def test_milliseconds_of_the_first_version() -> None:
    names = "     time  algbw  busbw      res" * 2
    text = (
        "# Using devices\n"
        + "".join(f"#   Device  {gpu} ->  {gpu} [0x0{gpu}] GeForce GTX\n" for gpu in range(4))
        + f"#      bytes             N    type      op{names}\n"
        "    10000000      10000000    char     sum    1.000  10.00  15.00    0e+00"
        "    2.000   5.00   7.50    0e+00\n"
        "    10000000       2500000     int    prod    1.250   8.00  12.00    0e+00"
        "    2.000   5.00   7.50    0e+00\n"
    )
    found = table(text)
    side = found.rows[0].out_of_place
    assert side is not None
    assert side.time == pytest.approx(1e-3)
    assert (found.ranks, found.nodes, len(found.rows)) == (4, 1, 2)
    assert found.hosts == ()


def test_a_root_and_other_types() -> None:
    row = "16777216 8388608 bfloat16 none 0 167.8 100.00 100.00 0 167.8 100.00 100.00 0\n"
    found = table(COLUMNS + row)
    assert (found.operation, found.rows[0].root, found.rows[0].redop) == ("broadcast", 0, None)
    assert table(COLUMNS + row.replace("none", "max")).operation == "reduce"
    assert table(COLUMNS + row.replace("none 0", "none -1")).operation == "sendrecv"


def test_a_ratio_that_no_operation_of_the_columns_has() -> None:
    row = "1048576 262144 float none -1 121.855 8.605 6.454 0 121.855 8.605 6.454 0\n"
    assert table(COLUMNS + row).operation is None
    assert table("$ ./all_gather_perf -b 1M\n" + COLUMNS + row).operation == "all_gather"


def test_extra_columns() -> None:
    columns = (
        "#  size  count  type  redop  root  time  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%"
        "  time  algbw  busbw  #wrong  i_min  i_max  i_p99  i_cv%  timestamp\n"
    )
    row = (
        "1048576 262144 float sum -1 52.43 20.00 30.00 0 50.0 60.0 59.0 1.20 "
        "41.94 25.00 37.50 0 40.0 61.0 60.0 1.30 2026-01-02 03:04:05\n"
    )
    for text in (columns + row, row):
        found = table(text)
        assert rates(found) == [30]
        assert found.rows[0].in_place is not None
        assert found.rows[0].in_place.busbw == 37.5e9


def test_one_half_only() -> None:
    out = "1048576  262144  float  sum  -1    52.43   20.00   30.00      0\n"
    assert table(out).rows[0].in_place is None
    gap = " " * 32
    row = table(
        COLUMNS + f"1048576 262144 float sum -1{gap}    52.43   20.00   30.00      0\n"
    ).rows[0]
    assert row.out_of_place is None
    assert row.in_place is not None


def test_nan_inf_and_redacted_cells_are_unknown() -> None:
    text = COLUMNS + ROWS[0].replace("20.00   30.00", "  nan    -nan", 1) + "\n"
    assert table(text).rows[0].out_of_place is None
    assert table(text).rows[0].in_place is not None
    text = COLUMNS + ROWS[0].replace("52.43   20.00   30.00", "XX.XX  XXX.XX  XXX.XX") + "\n"
    assert table(text).rows[0].sides == ()
    assert "no-figures" in {found.rule for found in audit(document_of("log", text)).findings}
    assert table(RUN.replace(": 52.5", ": -nan")).printed_average is None


def test_wrong_counts_in_scientific_notation() -> None:
    text = RUN.replace("75.00       0", "75.00  1.04858e+06").replace("0 OK", "216 FAILED")
    found = entry(text)
    assert (found["wrong"], found["wrong_sizes"]) == (216, 1)


def test_a_second_run_without_rows_takes_nothing_from_the_first() -> None:
    second = RUN[: RUN.index(ROWS[0])]
    first, empty = KIND.summarise(read(RUN + second))["tests"]
    assert (first["avg_busbw_gbs"], first["complete"]) == (52.5, True)
    assert (empty["sizes"], empty["avg_busbw_gbs"], empty["complete"]) == (0, None, False)
    assert empty["ranks"] == 4


def test_several_runs_with_names() -> None:
    named = "# Collective test starting: {}_perf\n" + RUN
    found = read(named.format("all_reduce") + named.format("reduce_scatter")).tables
    assert [one.told_operation for one in found] == ["all_reduce", "reduce_scatter"]
    # Rows of an all-reduce whatever the name says.
    assert found[1].operation == "all_reduce"


def test_sizes_that_start_again_are_another_table() -> None:
    text = RUN[: RUN.index("# Out of")] + "\n".join(ROWS) + "\n" + FOOTER
    first, second = read(text).tables
    assert len(first.rows) == len(second.rows) == 3
    assert first.ranks == second.ranks == 4
    assert first.complete
    assert second.complete
    assert first.printed_average is None  # the printed one is of both


def test_a_line_that_stands_there_twice_counts_once() -> None:
    assert len(table(RUN.replace(ROWS[1], ROWS[1] + "\n" + ROWS[1])).rows) == 3


def test_no_average_is_computed() -> None:
    found = entry(RUN.replace("# Avg bus bandwidth    : 52.5 \n", ""))
    assert (found["avg_busbw_gbs"], found["avg_from"]) == (52.5, "computed")
    assert found["complete"]


def test_the_concluding_line_names_the_operation() -> None:
    found = table(RUN + "# Collective test concluded: all_reduce_perf\n")
    assert (found.operation, found.operation_from) == ("all_reduce", "concluded")


def test_versions() -> None:
    text = (
        "# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22809\n"
        "# Collective test starting: all_reduce_perf\n" + RUN
    )
    found = table(text)
    assert (found.version, found.nccl_version, found.headers_version) == (
        "2.17.6",
        "2.28.9",
        "2.28.7",
    )
    found = table("rccl-tests: Version develop:a52452e\n" + RUN)
    assert found.version == "develop:a52452e"
    found = table(RUN.replace("#\n#   ", "NCCL version 2.20.3+cuda12.2\n#\n#   ", 1))
    assert found.nccl_version == "2.20.3"


def test_options_of_old_and_new_settings() -> None:
    assert table(RUN).options["warmup iters"] == "5"
    assert table(RUN).options["step"] == "2(factor)"
    old = (
        "# nThread: 1 nGpus: 8 minBytes: 8 maxBytes: 128 step: 2(factor) warmupIters: 5 iters: 20\n"
    )
    found = table(RUN.replace(SETTINGS, old))
    assert (found.options["nGpus"], found.options["warmup iters"]) == ("8", "5")


JSON_RUN: dict[str, Any] = {
    "version": 3,
    "start_time": "2026-01-02 03:04:05",
    "args": ["/opt/build/all_reduce_perf", "-b", "1M"],
    "env": [],
    "nccl_version": 22807,
    "config": {
        "nthreads": 1,
        "ngpus": 1,
        "minimum_bytes": 1048576,
        "maximum_bytes": 2097152,
        "step_factor": 2,
        "devices": [
            {
                "rank": rank,
                "group": 0,
                "pid": 9,
                "hostname": f"node{rank // 2}",
                "device": rank % 2,
                "device_hex": "[0000",
                "device_info": "NVIDIA H200",
            }
            for rank in range(4)
        ],
    },
    "results": [
        {
            "size": size,
            "count": size // 4,
            "type": "float",
            "redop": "sum",
            "root": "    -1",
            "out_of_place": {"time": 52.43, "alg_bw": 20.0, "bus_bw": 30.0, "nwrong": None},
            "in_place": {"time": "nan", "alg_bw": "nan", "bus_bw": "nan", "nwrong": 0.0},
        }
        for size in (1048576, 2097152)
    ],
    "out_of_bounds": {"count": 0, "okay": "true"},
    "average_bus_bandwidth": {"bandwidth": 30.0, "okay": "unchecked"},
    "errors": [""],
    "end_time": "2026-01-02 03:05:05",
}


def test_json() -> None:
    found = entry(json.dumps(JSON_RUN), "run.json")
    assert (found["operation"], found["ranks"], found["nodes"]) == ("all_reduce", 4, 2)
    assert (found["nccl_version"], found["sizes"]) == ("2.28.7", 2)
    assert (found["peak_busbw_gbs"], found["in_place_peak_busbw_gbs"]) == (30, None)
    assert (found["avg_busbw_gbs"], found["complete"], found["verified"]) == (30, True, False)
    assert found["devices"] == ["NVIDIA H200"]


def test_json_of_many_lines_is_understood() -> None:
    report = audit(document_of("run.json", json.dumps(JSON_RUN, indent=1)))
    assert report.kind == "nccl-tests"
    assert report.not_understood == ()


def test_json_that_was_cut() -> None:
    text = json.dumps(JSON_RUN)
    second = text.rindex('"size"')
    found = table(text[: second + 40], "run.json")
    assert (found.ranks, found.nodes, len(found.rows)) == (4, 2, 1)
    assert not found.complete
    for end in range(0, len(text), 7):
        assert len(read(text[:end], "run.json").tables) <= 1


def test_text_and_json_in_one_file() -> None:
    found = read(RUN + json.dumps(JSON_RUN) + "\n").tables
    assert [len(one.rows) for one in found] == [3, 2]


def test_json_records_of_rccl_tests() -> None:
    record = (
        '{{"numCycle":0, "name":"AllGather", "nodes":2, "ranks":16, "ranksPerNode":8, '
        '"gpusPerRank":1, "size":{}, "type":"float", "redop":"none", "inPlace":{}, '
        '"time":50.000000, "algBw":{}, "busBw":{}, "wrong":"{}"}}'
    )
    lines = [
        record.format(size, half, algbw, algbw * 15 / 16, wrong)
        for size, algbw in ((1 << 20, 20.0), (1 << 21, 40.0))
        for half, wrong in ((0, "0"), (1, "N/A"))
    ]
    found = entry("[\n" + ",\n".join(lines) + "\n]\n", "run.json")
    assert (found["operation"], found["ranks"], found["nodes"]) == ("all_gather", 16, 2)
    assert (found["sizes"], found["peak_busbw_gbs"]) == (2, 37.5)
    assert found["in_place_peak_busbw_gbs"] == 37.5
    assert audit(document_of("run.json", ",\n".join(lines))).not_understood == ()
