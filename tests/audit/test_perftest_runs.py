"""perftest as people paste it: each quirk of its text and its JSON, and what is made of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from no_hang import no_hang

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.perftest import KIND
from netdesign.audit.perftest.content import PerftestRuns, Run
from netdesign.audit.report import Finding
from netdesign.units import gbps_to_bytes_per_second

DASHES = "-" * 87
GB = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
MB = GB.replace("Gb", "MB")
LAT = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
    "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] "
)


def block(title: str, link: str = "IB", **more: str) -> str:
    given_ = {"Dual-port": "OFF", "Device": "mlx5_7", "Number of qps": "1"}
    given_ |= {"Transport type": "IB", "Connection type": "RC", "TX depth": "128"}
    given_ |= {"Mtu": "4096[B]", "Link type": link} | more
    pairs = "\n".join(f" {key:<16}: {value}" for key, value in given_.items())
    return f"{DASHES}\n                    {title}\n{pairs}\n{DASHES}\n"


def runs(text: str) -> PerftestRuns:
    content: PerftestRuns = KIND.read(document_of("a", text))[0]
    return content


def only(text: str) -> Run:
    (test,) = runs(text).tests
    return test


def verdicts(text: str, gbps: float | None = None, severity: str = "") -> dict[str, Finding]:
    rate = None if gbps is None else gbps_to_bytes_per_second(gbps)
    return {
        finding.rule: finding
        for finding in KIND.judge(runs(text), Context(rate))
        if severity in ("", finding.severity)
    }


def summary(text: str) -> list[dict[str, Any]]:
    tests: list[dict[str, Any]] = KIND.summarise(runs(text))["tests"]
    return tests


def test_several_runs_in_one_terminal_with_mixed_units() -> None:
    text = (
        "me@a:~$ ib_send_bw -d mlx5_7 b\n"
        + block("Send BW Test")
        + MB
        + "\nConflicting CPU frequency values detected: 1.0 != 2.0. CPU Frequency is not max.\n"
        + " 65536      1000             11445.00            11444.09\t\t     0.183105  \n"
        + DASHES
        + "\nme@a:~$ ib_send_lat -d mlx5_7 b\n"
        + block("Send Latency Test")
        + LAT
        + "\n 2       1000          1.10           3.30         1.20     \t       1.25     \t0.03"
        + "   \t\t1.40    \t\t3.00   \n"
        + DASHES
        + "\nme@a:~$ \nme@a:~$ ib_write_bw --report_gbits b\n"
        + block("RDMA_Write BW Test")
        + GB
        + "\n 65536      5000             97.10              96.00\t\t   0.183105\n"
        + DASHES
    )
    send, latency, write = summary(text)
    assert (send["test"], send["unit"], send["sizes"]) == ("send_bw", "MB/sec", 1)
    assert send["best_gbps"] == pytest.approx(11444.09 * 2**20 * 8 / 1e9)
    assert latency["test"] == "send_lat"
    assert latency["latency_us"] == pytest.approx(1.25)
    assert latency["rows"][0]["p999_us"] == pytest.approx(3.0)
    assert write["test"] == "write_bw"
    assert write["best_gbps"] == pytest.approx(96.0)
    assert write["device"] == "mlx5_7"
    assert write["mtu_bytes"] == 4096
    document = document_of("a", text)
    used = KIND.read(document)[1]
    assert [line.text for line in document.lines() if line.text.strip("-")][0] != ""
    unread = [line.text for line in document.lines() if line.number not in used]
    assert not [line for line in unread if line.strip("-")]
    assert verdicts(text)["unit-proved"].severity == "note"


def test_a_table_without_its_block_takes_the_verb_from_the_command() -> None:
    row = "\n 2       1000          5.30  11.70  5.40  5.50  0.10  5.70  11.70\n"
    test = only("Starting RDMA client 'ib_read_lat' for mlx5_0 (Port 18515)...\n...\n" + LAT + row)
    assert test.name == "read_lat"
    assert verdicts("ib_read_lat host\n" + LAT + row)["latency-high"].severity == "note"
    assert only(LAT + row).name == "lat"


def test_a_command_is_not_used_twice() -> None:
    table = GB + "\n 65536 5000 97.10 96.00 0.183105\n"
    text = "$ ib_write_bw -c UD b\n" + block("RDMA_Write BW Test") + table
    first, second = runs(text + block("RDMA_Read BW Test") + table).tests
    assert (first.verb, second.verb) == ("write", "read")
    assert second.setup.connection == "RC"


def test_a_peak_of_zero_was_not_measured() -> None:
    row = only(GB + "\n 65536      9000     0.00               96.00      0.183105\n").bandwidth[0]
    assert row.peak is None
    assert row.average == gbps_to_bytes_per_second(96.0)


def test_dual_port_service_level_and_processor_columns() -> None:
    text = (
        " #bytes     #sl  #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]"
        "   BW Port1[Gb/sec]   MsgRate Port1[Mpps]   BW Port2[Gb/sec]   MsgRate Port2[Mpps]"
        "    CPU_Util[%]\n 65536  3  5000  0.00  196.00  0.373840  98.00  0.186920  98.00"
        "  0.186920   5.07\n"
    )
    (row,) = only(text).bandwidth
    assert (row.service_level, row.processor) == (3, 5.07)
    assert [port.bandwidth for port in row.ports] == [gbps_to_bytes_per_second(98.0)] * 2
    slow = block("RDMA_Write BW Test", **{"Dual-port": "ON"}) + text
    assert "two-ports-one-slot" in verdicts(slow, 200.0)
    assert verdicts(slow, 100.0)["line-rate"].evidence["share"] == pytest.approx(0.98)


def test_both_directions_are_compared_with_twice_the_rate() -> None:
    text = block("RDMA_Write Bidirectional BW Test") + GB + "\n 65536 5000 190.0 189.0 0.360489\n"
    assert only(text).setup.bidirectional
    assert verdicts(text, 100.0)["line-rate"].evidence["share"] == pytest.approx(0.945)


def test_a_rate_that_is_too_low_says_so() -> None:
    text = block("RDMA_Write BW Test") + GB + "\n 65536 5000 190.0 189.0 0.360489\n"
    assert "above-line" in verdicts(text, 100.0, "warning")
    assert "below-line" in verdicts(text, 400.0, "warning")
    assert "line-rate-unknown" in verdicts(text)


def test_a_rate_that_ibstat_prints_in_the_same_file_is_used() -> None:
    text = block("RDMA_Write BW Test") + GB + "\n 65536 5000 190.0 189.0 0.360489\n"
    assert summary("\t\tRate: 200\n" + text)[0]["share_of_line"] == pytest.approx(0.945)
    assert "line-rate" in verdicts("\t\tRate: 200\n" + text)


def test_small_packets_and_small_messages_are_no_fault_of_the_line() -> None:
    datagram = block("Send BW Test", "Ethernet", **{"Connection type": "UD", "Mtu": "1024[B]"})
    assert verdicts(datagram + GB + "\n 1024 5000 0.00 41.0 5.004883\n", 100.0).keys() == {
        "small-mtu",
        "peak-not-measured",
    }
    assert "small-mtu" in verdicts(datagram + GB + "\n 1024 5000 0.00 41.0 5.004883\n")
    small = block("RDMA_Write BW Test") + GB + "\n 512 5000 10.00 10.0 2.441406\n"
    assert verdicts(small, 100.0).keys() == {"small-messages"}


def test_reads_below_writes_are_no_cable() -> None:
    read = block("RDMA_Read BW Test", **{"Outstand reads": "16"})
    text = read + GB + "\n 65536 1000 82.0 82.0 0.156403\n"
    text += block("RDMA_Write BW Test") + GB + "\n 65536 5000 98.0 98.0 0.186920\n"
    found = verdicts(text, 100.0)["read-deficit"]
    assert (found.severity, found.evidence["outstanding_reads"]) == ("note", 16)


def test_gpu_memory_at_half_of_host_memory() -> None:
    table = GB + "\n 65536 5000 {0} {0} 0.1\n"
    text = "$ ib_write_bw -d mlx5_7 b\n" + block("RDMA_Write BW Test") + table.format("98.0")
    text += "$ ib_write_bw -d mlx5_7 --use_cuda=0 b\n" + block("RDMA_Write BW Test")
    text += table.format("45.0") + "deallocating GPU buffer 00007255\n"
    first, second = runs(text).tests
    assert (first.setup.gpu_memory, second.setup.gpu_memory) == (False, True)
    assert verdicts(text)["gpu-memory-slow"].severity == "warning"


def test_one_queue_pair_on_a_bond() -> None:
    text = block("RDMA_Write BW Test", Device="mlx5_bond_0") + GB + "\n 65536 5000 98 98 0.18692\n"
    assert "bonded-one-queue-pair" in verdicts(text, 200.0)


def test_peak_and_average_apart_is_jitter_at_those_sizes() -> None:
    rows = " 2 1000 0.9 0.1 3.1\n 65536 1000 98.0 60.0 0.114441\n 131072 1000 98 97 0.092506\n"
    found = verdicts(block("Send BW Test") + GB + "\n" + rows)["jitter"]
    assert (found.severity, found.evidence["sizes_bytes"]) == ("warning", [65536])


def test_a_falling_end() -> None:
    rows = " 65536 1000 98.0 97.0 0.185013\n 8388608 1000 51 50.0 0.000745\n"
    assert "falling-end" in verdicts(GB + "\n" + rows)


def test_a_long_tail() -> None:
    row = "\n 2 1000 1.1 55.0 1.2 1.3 0.9 2.0 50.0\n"
    assert verdicts(LAT + row)["latency-tail"].severity == "warning"


def test_latency_of_a_test_that_runs_for_a_time() -> None:
    text = (
        " #bytes        #iterations       t_avg[usec]    tps average\n 2  900000  1.25  400000.00\n"
    )
    test = only("$ ib_write_lat -D 5 b\n" + text)
    assert (test.name, test.setup.by_duration) == ("write_lat", True)
    assert test.latency[0].average == pytest.approx(1.25e-6)
    assert test.latency[0].per_second == 400000.0


def test_an_old_latency_table() -> None:
    test = only(
        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]\n 2 1000 1 9 2\n"
    )
    assert test.latency[0].typical == 2e-6


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("Failed to modify QP 77 to RTR", "GID"),
        ("Couldn't connect to 10.0.0.7:18515", "firewall"),
        (" Completion with error at client", "transfer broke"),
        ("Failed status 12: wr_id 0 syndrom 0x81", "retries"),
    ],
)
def test_complaints_are_errors(line: str, word: str) -> None:
    text = block("RDMA_Write BW Test") + f"{line}\n" * 3
    found = verdicts(text, severity="error")
    assert word in found["run-failed"].message
    assert found["run-failed"].evidence["count"] == 3
    assert "incomplete" in found


def test_a_table_without_rows_is_incomplete_but_a_servers_side_is_not() -> None:
    assert "incomplete" in verdicts(block("RDMA_Write BW Test") + GB, severity="error")
    server = block("RDMA_Read Latency Test").replace(" TX depth        : 128\n", "")
    assert verdicts(server).keys() == {"server-side"}


def test_both_ends_on_one_port_in_one_stream() -> None:
    addresses = (
        " local address: LID 0x29b QPN 0x013c PSN 0x5cd491\n"
        " remote address: LID 0x29b QPN 0x013b PSN 0xb8cbdb\n"
    )
    row = " 1000  5000   41.91  40.91  5.113250\n"
    text = (
        block("RDMA_Write BW Test") + addresses + GB + "\n" + GB + "\n" + row + DASHES + "\n" + row
    )
    assert len(only(text).bandwidth) == 1
    assert "loopback" in verdicts(text)


def test_a_row_that_is_cut_gives_nothing() -> None:
    whole = block("RDMA_Write BW Test") + GB + "\n 65536 5000 98.0 97.0 0.185013\n"
    assert len(only(whole + " 131072 5000 98.0 9").bandwidth) == 1


def test_commented_and_quoted_rows() -> None:
    assert len(only(f"# {GB}\n#  65536  27  0.00  96.0  0.183105\n").bandwidth) == 1
    assert len(only(f"> {GB}\n> 65536  27  0.00  96.0  0.183105\n").bandwidth) == 1


def test_an_edited_unit_is_found() -> None:
    assert "unit-mismatch" in verdicts(GB + "\n 65536 5000 11445.00 11444.09 0.183105\n")


JSON = """{
"test_info": {
"test": "RDMA_Write_Bidirectional_BW_Test",
"Dual_port": "OFF",
"Device": "mlx5_7",
"Number_of_qps": 2,
"Transport_type": "IB",
"Connection_type": "RC",
"TX_depth": 128,
"Mtu": 4096,
"Link_type": "Ethernet",
"GID_index": 3,
"Data_ex_method": "Ethernet"
},
"results": {
"MsgSize": 65536,
sl: 0,
"n_iterations": 5000,
"BW_peak": 0.00,
"BW_average": 189.00,
"MsgRate": 0.360489
}
}
"""


@pytest.mark.parametrize("text", [JSON, JSON.replace("\n", ""), JSON.replace("}\n}\n", "")])
def test_json_with_its_bare_key_in_any_layout(text: str) -> None:
    test = only(text)
    assert (test.name, test.unit, test.setup.bidirectional) == ("write_bw", "Gb/sec", True)
    assert (test.setup.queue_pairs, test.setup.gid_index) == (2, 3)
    (row,) = test.bandwidth
    assert (row.size, row.service_level, row.peak) == (65536, 0, None)
    assert row.average == pytest.approx(gbps_to_bytes_per_second(189.0))


def test_json_in_mebibytes_is_proved_by_its_message_rate() -> None:
    text = JSON.replace("189.00", "22530.56")
    assert only(text).unit == "MiB/sec"
    assert summary(text)[0]["best_gbps"] == pytest.approx(189.0, rel=1e-3)
    assert summary(JSON.replace("0.360489", "0"))[0]["best_gbps"] is None
    assert "unit-unknown" in verdicts(JSON.replace("0.360489", "0"))


def test_json_of_latency_one_after_another() -> None:
    text = """{ "test_info": { "test": "RDMA_Read_Latency_Test", "Mtu": 1024 },
    "results": { "MsgSize": 2, "n_iterations": 1000, "t_min": 1.1, "t_max": 9.5, "t_typical": 1.8,
    "t_avg": 1.9, "t_stdev": 0.1, "percentile_99": 2.2, "percentile_99.9": 9.5 } }
    """
    first, second = runs(text + text.replace("1.9", "2.9")).tests
    assert first.name == "read_lat"
    assert first.latency[0].average == pytest.approx(1.9e-6)
    assert second.latency[0].p999 == pytest.approx(9.5e-6)


@pytest.mark.parametrize(
    "text",
    [
        "# OSU MPI Latency Test v5.8\n# Size  Latency (us)\n0  1.2\n",
        "#       size         count      type   redop    root     time\n",
        "Failed to load the module\n",
        "",
    ],
)
def test_other_tools_are_not_taken(text: str) -> None:
    document = document_of("a", text)
    assert not KIND.recognises(document)
    assert KIND.is_empty(KIND.read(document)[0]) or "Failed" in text


WHOLE = (
    "$ ib_write_bw b\n"
    + block("RDMA_Write BW Test")
    + MB
    + "\n 65536 5000 11445 11444.09 0.183105\n"
    "Completion with error at client\n" + LAT + "\n 2 1000 1.1 55.0 1.2 1.3 0.9 2.0 50.0\n" + JSON
)


@given(
    st.integers(0, len(WHOLE)),
    st.integers(0, len(WHOLE)),
    st.binary(max_size=40),
    st.integers(0, 3),
)
def test_cut_spliced_and_repeated_files_are_read(a: int, b: int, noise: bytes, times: int) -> None:
    text = WHOLE[:a].encode() + noise + WHOLE[b:].encode() * times
    document = document_of("a", text)
    content, used = KIND.read(document)
    KIND.summarise(content)
    KIND.judge(content, Context(50e9))
    assert 10**6 not in used


@pytest.mark.parametrize(
    "unit",
    ["Send_", "Send BW ", "ib_write_bw ", '"a": ', "#bytes ", " 65536", "t_avg[usec] ", " : "],
)
def test_reading_takes_no_longer_than_the_file(unit: str) -> None:
    with no_hang():
        KIND.read(document_of("a", (unit * 3000 + "\n") * 20))


def test_lines_of_several_hosts_in_turn() -> None:
    one = (block("RDMA_Write BW Test") + GB + "\n 65536 5000 98.0 97.0 0.185013\n").splitlines()
    two = (block("RDMA_Read BW Test") + GB + "\n 65536 5000 88.0 87.0 0.165939\n").splitlines()
    text = "".join(f"node01: {a}\nnode-02: {b}\n" for a, b in zip(one, two, strict=True))
    first, second = summary(text)
    assert (first["test"], second["test"]) == ("write_bw", "read_bw")
    assert first["best_gbps"] == pytest.approx(97.0)
    assert second["best_gbps"] == pytest.approx(87.0)


def test_one_port_below_its_peers_shows_without_a_line_rate() -> None:
    text = "".join(
        block("RDMA_Write BW Test", Device=f"mlx5_{port}")
        + GB
        + f"\n 65536 5000 {rate} {rate} 0.1\n"
        for port, rate in enumerate(("391.0", "392.0", "197.0", "390.5"))
    )
    found = verdicts(text)["slower-than-peers"]
    assert (found.severity, found.evidence["device"]) == ("warning", "mlx5_2")
