"""What operators ask of their own logs, and the answer that a file alone must give."""

from __future__ import annotations

from functools import cache

import pytest

from netdesign.acceptance.benchmarks import benchmarks
from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.report import FileReport, Finding
from netdesign.audit.whole import audit_all
from netdesign.design import read_design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.units import gbps_to_bytes_per_second

TWO_NICS = Context(gbps_to_bytes_per_second(200.0), 2)
EIGHT_NICS = Context(gbps_to_bytes_per_second(400.0), 8)
COLUMNS = "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"


def table(busbw: float, ranks: int = 32, nodes: int = 4, first: int = 29, last: int = 33) -> str:
    """An all-reduce of H100s whose large messages all reach the same bandwidth, GB/s."""
    text = f"# nThread 1 nGpus 1 minBytes {2**first} maxBytes {2**last} step: 2(factor)\n"
    text += "# Using devices\n"
    for rank in range(ranks):
        node, device = divmod(rank, ranks // nodes)
        text += f"#  Rank {rank} Group 0 Pid {rank} on n{node} device {device} [0x1b] NVIDIA H100\n"
    text += COLUMNS
    factor = 2 * (ranks - 1) / ranks
    for power in range(first, last + 1):
        algbw = busbw / factor
        time = 2**power / algbw / 1e3
        text += f"{2**power} {2**power // 4} float sum -1 {time:.1f} {algbw:.2f} {busbw:.2f} 0\n"
    return text + f"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {busbw:.2f}\n"


def logged(
    names: tuple[str, ...], used: int, link: str = "IB", settings: str = "", ranks: int = 16
) -> str:
    """NCCL's log of every rank, eight to a host."""
    listed = " ".join(f"[{place}]{name}:1/{link}" for place, name in enumerate(names))
    text = "NCCL version 2.21.5+cuda12.4\n"
    for rank in range(ranks):
        said = [
            *settings.splitlines(),
            f"NET/IB : Using {listed} [RO]; OOB eth0:10.0.0.{rank}<0>",
            f"comm 0x5 rank {rank} nRanks {ranks} nNodes {ranks // 8} localRanks 8 localRank"
            f" {rank % 8} MNNVL 0",
            "16 coll channels, 0 collnet channels, 16 nvls channels, 32 p2p channels",
            f"Channel 00/0 : {rank}[0] -> {(rank + 8) % ranks}[0] [send] via "
            f"NET/IB/{rank % used}/GDRDMA",
            f"comm 0x5 rank {rank} nranks {ranks} cudaDev {rank % 8} busId {rank % 8}b000"
            " commId 0x77 - Init COMPLETE",
        ]
        text += "".join(
            f"gpu-{rank // 8}:{rank}:{rank} [{rank % 8}] NCCL INFO {line}\n" for line in said
        )
    return text


def port(program: str, average: float, more: str = "") -> str:
    lat = program.endswith("Latency Test")
    row = f"2 1000 {average} {average} {average} {average} 0.02 {average} {average}"
    header = (
        "#bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg[usec] t_stdev[usec]"
        " 99% percentile[usec] 99.9% percentile[usec]"
        if lat
        else "#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]"
    )
    if not lat:
        row = f"65536 5000 {average} {average} {average / 8 / 65.536e-3 / 1e3:.6f}"
    return (
        f"---------\n {program}\n Dual-port : OFF  Device : mlx5_0\n Number of qps : 1 "
        f"Transport type : IB\n Connection type : RC\n Mtu : 4096[B]\n Link type : IB\n{more}"
        f"---------\n {header}\n {row}\n---------\n"
    )


def report(text: str, context: Context | None = None) -> FileReport:
    (found,) = audit_all([document_of("file", text)], context).reports
    return found


def told(text: str, context: Context | None = None) -> dict[str, Finding]:
    return {finding.rule: finding for finding in report(text, context).findings}


@cache
def planned() -> Evaluation:
    return evaluate(read_design("deepseek-v3-2048-h100"))


BOND = ("mlx5_bond_0",)
EIGHT = tuple(f"mlx5_{number}" for number in range(8))


def test_a_bond_is_not_told_as_too_few_nics() -> None:
    found = told(logged(BOND, 1, "RoCE"), TWO_NICS)
    assert "few-nics" not in found
    bond = found["bonded-one-queue-pair"]
    assert bond.severity == "warning"
    assert "NCCL_IB_QPS_PER_CONNECTION" in bond.message
    assert "do not bond" in bond.message
    assert "nics-partly-seen" not in told(logged(BOND, 1, "RoCE", ranks=8)[:1600], TWO_NICS)


def test_a_bond_with_several_queue_pairs_is_no_fault() -> None:
    text = logged(BOND, 1, "RoCE", "NCCL_IB_QPS_PER_CONNECTION set by environment to 4.")
    found = told(text, TWO_NICS)
    assert "bonded-one-queue-pair" not in found
    assert "NCCL_IB_SPLIT_DATA_ON_QPS" in found["bonded-nic"].message
    assert report(text, TWO_NICS).is_healthy


def test_one_bond_of_many_ports_is_still_too_few() -> None:
    assert {"few-nics", "bonded-one-queue-pair"} <= told(logged(BOND, 1), EIGHT_NICS).keys()


def test_ports_that_nccl_merges_are_said() -> None:
    text = logged(EIGHT, 8).replace(
        "[0]mlx5_0:1/IB [1]mlx5_1:1/IB", "[0]={[0] mlx5_0:1/IB, [1] mlx5_1:1/IB}"
    )
    found = told(text)["ports-merged"]
    assert (found.severity, found.evidence["merged"]) == ("note", ["mlx5_0+mlx5_1"])


def test_healthy_is_said_of_a_log_that_shows_enough() -> None:
    assert "network-healthy" in told(logged(EIGHT, 8))


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        (logged(EIGHT, 8).replace("NCCL version 2.21.5+cuda12.4\n", ""), "version"),
        (logged(EIGHT, 8).replace("16 coll channels", "16 channels")[:900], "channels"),
        (logged(EIGHT, 8, settings="NCCL_IB_HCA set by environment to mlx5."), "NCCL_IB_HCA"),
        ("".join(logged(EIGHT, 8).splitlines(keepends=True)[:6]), "other NICs"),
    ],
)
def test_healthy_is_not_said_where_something_is_missing(text: str, missing: str) -> None:
    found = told(text)
    assert "network-healthy" not in found
    assert missing in found["network-seen"].message
    assert report(text).is_healthy


def test_healthy_is_not_said_of_a_network_that_is_slow_in_the_same_file() -> None:
    text = logged(EIGHT, 8) + table(150.0)
    found = told(text, EIGHT_NICS)
    assert "network-healthy" not in found
    assert "below-line-rate" in found["network-seen"].message
    assert "network-healthy" in told(logged(EIGHT, 8) + table(380.0), EIGHT_NICS)


def test_few_nics_have_a_second_half() -> None:
    assert "ACS" in told(logged(EIGHT, 1))["few-nics"].message
    one = logged(("mlx5_0",), 1, settings="NCCL_IB_HCA set to mlx5_0")
    assert "ACS" in told(one)["nics-restricted"].message


@pytest.mark.parametrize("setting", ["NCCL_CROSS_NIC", "NCCL_PXN_DISABLE"])
def test_rails_are_a_choice_of_wiring(setting: str) -> None:
    found = told(logged(EIGHT, 8, settings=f"{setting} set by environment to 1."))["rails"]
    assert found.severity == "note"
    assert "cross rails" in found.message
    assert "rails" not in told(logged(EIGHT, 8, settings=f"{setting} set by environment to 0."))


def test_several_nodes_below_one_are_normal() -> None:
    together = told(table(480.0, 8, 1) + table(24.0, 16, 2))["nics-below-nvlink"]
    assert together.severity == "note"
    assert (together.evidence["one_node_gbs"], together.evidence["busbw_gbs"]) == (480.0, 24.0)
    assert "Gen3 x16 100 Gb/s" in together.message
    files = [
        document_of(str(n), text) for n, text in enumerate((table(480, 8, 1), table(24, 16, 2)))
    ]
    first, second = audit_all(files).reports
    assert "nics-below-nvlink" not in {finding.rule for finding in first.findings}
    assert "nics-below-nvlink" in {finding.rule for finding in second.findings}
    assert "nics-below-nvlink" not in told(table(480.0, 8, 1) + table(487.0, 16, 2))


def test_a_share_of_the_line_is_in_the_summary_once_the_rate_is_known() -> None:
    text = port("RDMA_Write BW Test", 196.0)
    assert report(text).summary["tests"][0]["share_of_line"] is None
    assert report(text, TWO_NICS).summary["tests"][0]["share_of_line"] == pytest.approx(0.98)


def test_a_read_is_judged_once() -> None:
    reads = port("RDMA_Read BW Test", 164.0, " Outstand reads : 16\n")
    found = report(reads + port("RDMA_Write BW Test", 196.0), TWO_NICS).findings
    (read,) = [finding for finding in found if finding.where.startswith("test 1")]
    assert (read.rule, read.severity) == ("read-deficit", "note")
    assert read.evidence["share"] == pytest.approx(0.82)
    assert "82%" in read.message
    assert "196 Gb/s" in read.message
    low = port("RDMA_Read BW Test", 100.0) + port("RDMA_Write BW Test", 196.0)
    (read,) = [f for f in report(low, TWO_NICS).findings if f.where.startswith("test 1")]
    assert (read.rule, read.severity) == ("read-deficit", "warning")


def test_latency_is_held_against_the_design() -> None:
    (check,) = [each for each in benchmarks(planned()) if each.quantity == "latency"]
    known = Context(evaluation=planned())
    expected, most = check.expected * 1e6, check.limit * 1e6
    good = told(port("RDMA_Write Latency Test", round(most * 0.98, 2)), known)["latency"]
    assert good.evidence["expected_us"] == pytest.approx(expected)
    assert f"{expected:.4g} us" in good.message
    assert f"{most:.4g} us" in good.message
    late = told(port("RDMA_Write Latency Test", round(most * 1.1, 2)), known)
    assert late["latency-high"].severity == "warning"
    round_trip = told(port("RDMA_Read Latency Test", round(most * 1.8, 2)), known)
    assert "latency" in round_trip


def seen_in_log(text: str, nics: int = 8, link: str = "RoCE") -> str:
    """A table with NCCL's lines above its rows."""
    listed = " ".join(f"[{nic}]mlx5_{nic}:1/{link}" for nic in range(nics))
    lines = f"n0:1:1 [0] NCCL INFO NET/IB : Using {listed} [RO]; OOB eth0:10.0.0.1<0>\n"
    for nic in range(nics):
        lines += (
            f"n0:1:1 [{nic}] NCCL INFO Channel 0{nic}/0 : 24[0] -> {nic}[0] [receive] via "
            f"NET/IB/{nic}/GDRDMA\n"
        )
    return text.replace(COLUMNS, lines + COLUMNS)


def test_tcp_is_not_blamed_where_the_log_shows_rdma() -> None:
    found = told(seen_in_log(table(0.8)), EIGHT_NICS)["below-line-rate"]
    assert found.evidence["causes"] == ["lossy-fabric"]
    assert "PFC" in found.message
    plain = told(seen_in_log(table(0.8), link="IB"), EIGHT_NICS)["below-line-rate"]
    assert "tcp-fallback" not in plain.evidence["causes"]
    assert told(table(0.8), EIGHT_NICS)["below-line-rate"].evidence["causes"] == ["tcp-fallback"]


def test_flows_that_collide_are_named_for_roce() -> None:
    found = told(seen_in_log(table(210.0)), EIGHT_NICS)["below-line-rate"]
    assert found.evidence["causes"] == ["flows-collide"]
    assert "NCCL_IB_QPS_PER_CONNECTION" in found.message
    assert "adaptive routing" in found.message
    infiniband = told(seen_in_log(table(210.0), link="IB"), EIGHT_NICS)["below-line-rate"]
    assert infiniband.evidence["causes"] == ["unknown"]


def test_half_of_a_bond_is_the_cause() -> None:
    text = seen_in_log(table(24.0), 1).replace("mlx5_0", "mlx5_bond_0")
    assert told(text, TWO_NICS)["below-line-rate"].evidence["causes"] == ["bond"]
    pairs = "n0:1:1 [0] NCCL INFO NCCL_IB_QPS_PER_CONNECTION set by environment to 4.\n"
    several = told(text.replace(COLUMNS, pairs + COLUMNS), TWO_NICS)["below-line-rate"]
    assert "bond" not in several.evidence["causes"]


def test_a_deep_fall_with_more_nodes_is_first_a_fabric_that_loses_packets() -> None:
    text = table(380.0, 32, 4) + table(8.0, 64, 8)
    message = told(text, EIGHT_NICS)["falls-with-nodes"].message
    assert 0 < message.index("PFC") < message.index("oversubscription")
    infiniband = seen_in_log(table(380.0, 32, 4), link="IB") + seen_in_log(
        table(8.0, 64, 8), link="IB"
    )
    assert "PFC" not in told(infiniband, EIGHT_NICS)["falls-with-nodes"].message


def test_a_fabric_that_carries_more_is_not_blamed() -> None:
    fast = port("RDMA_Write BW Test", 392.0)
    for text in (table(13.0, 16, 2), seen_in_log(table(13.0, 16, 2))):
        found = told(fast + text, EIGHT_NICS)
        causes = found["below-line-rate"].evidence["causes"]
        assert "host" in causes
        assert not {"tcp-fallback", "lossy-fabric", "flows-collide", "unknown"} & set(causes)
        assert "PFC" not in found["below-line-rate"].message
        assert "small chunks" in found["below-line-rate"].message
        assert "fabric-carries-more" in found


def test_one_gpu_with_several_nics() -> None:
    slow = told(table(48.0, 2, 2), Context(gbps_to_bytes_per_second(400.0), 4))["few-gpus"]
    assert "50 GB/s" in slow.message
    unknown = told(seen_in_log(table(48.0, 2, 2), 4))["line-rate-unknown"]
    assert "one GPU per NIC" in unknown.message
    assert "one GPU per NIC" not in told(table(48.0, 2, 2))["line-rate-unknown"].message


def test_what_is_usual_is_said_while_the_line_rate_is_unknown() -> None:
    message = told(table(48.0))["line-rate-unknown"].message
    assert "12 GB/s a port of 100 Gb/s, 24 of 200 and 48 to 49 of 400" in message
