"""NCCL_DEBUG logs as they come: spliced, cut, of one rank or of all, and what they say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from no_hang import no_hang

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.nccl_log import KIND
from netdesign.audit.nccl_log.content import NcclLog
from netdesign.audit.report import Finding

EIGHT = " ".join(f"[{number}]mlx5_{number}:1/IB" for number in range(8))


def says(*messages: str, host: str = "gpu-a", rank: int = 0) -> str:
    return "".join(
        f"{host}:{100 + rank}:{200 + rank} [{rank % 8}] NCCL INFO {text}\n" for text in messages
    )


def job(ranks: int = 16, nics: int = 8, way: str = "NET/IB/{nic}/GDRDMA", used: int = 8) -> str:
    """All ranks of a job on hosts of eight GPUs, each with one connection to the next host."""
    nodes = max(1, ranks // 8)
    listed = " ".join(f"[{nic}]mlx5_{nic}:1/IB" for nic in range(nics))
    text = "NCCL version 2.21.5+cuda12.4\n"
    for rank in range(ranks):
        other = (rank + 8) % ranks
        text += says(
            f"NET/IB : Using {listed} [RO]; OOB eth0:10.0.0.{rank}<0>",
            "Using network IB",
            f"comm 0x5a{rank:x} rank {rank} nranks {ranks} cudaDev {rank % 8} nvmlDev {rank % 8}"
            f" busId {rank % 8}b000 commId 0x77 - Init START",
            f"comm 0x5a{rank:x} rank {rank} nRanks {ranks} nNodes {nodes} localRanks 8 localRank"
            f" {rank % 8} MNNVL 0",
            "16 coll channels, 0 collnet channels, 16 nvls channels, 32 p2p channels",
            f"Channel 00/0 : {rank}[0] -> {other}[0] [send] via " + way.format(nic=rank % used),
            f"Channel 00/0 : {other}[0] -> {rank}[0] [receive] via " + way.format(nic=rank % used),
            f"Channel 01/0 : {rank}[0] -> {rank + 1}[1] via P2P/CUMEM/read",
            f"comm 0x5a{rank:x} rank {rank} nranks {ranks} commId 0x77 - Init COMPLETE",
            host=f"gpu-{'ab'[rank // 8]}",
            rank=rank,
        )
    return text


def log(text: str) -> NcclLog:
    content: NcclLog = KIND.read(document_of("a", text))[0]
    return content


def summary(text: str) -> dict[str, Any]:
    record: dict[str, Any] = KIND.summarise(log(text))["nccl"]
    return record


def verdicts(text: str, context: Context | None = None) -> dict[str, Finding]:
    found = KIND.judge(log(text), context or Context())
    return {finding.rule: finding for finding in found}


def test_a_healthy_job() -> None:
    found = summary(job())
    assert (found["version"], found["network"], found["gdr"]) == ("2.21.5+cuda12.4", "IB", True)
    assert found["nics_used"] == [f"mlx5_{number}" for number in range(8)]
    assert found["transports"] == {"NET/IB/GDRDMA": 16, "P2P/CUMEM": 16}
    assert (found["channels"], found["ranks"], found["nodes"], found["gpus"]) == (16, 16, 2, 16)
    assert found["hosts"] == ["gpu-a", "gpu-b"]
    assert verdicts(job()).keys() == {"network-healthy"}
    document = document_of("a", job())
    used = KIND.read(document)[1]
    assert all(line.number in used for line in document.lines())


def test_tcp_although_devices_are_there() -> None:
    text = job(way="NET/Socket/{nic}", used=1)
    assert verdicts(text)["tcp-fallback"].severity == "error"
    assert "8 RDMA devices" in verdicts(text)["tcp-fallback"].message
    none = says(
        "NET/IB : No device found.",
        "Using network Socket",
        "comm 0x1 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0",
        "Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0",
    )
    assert verdicts(none)["tcp-fallback"].severity == "warning"
    assert summary(none)["gdr"] is False
    disabled = says("NCCL_IB_DISABLE set by environment to 1.") + none
    assert "NCCL_IB_DISABLE" in verdicts(disabled)["tcp-fallback"].message


def test_one_nic_of_eight() -> None:
    found = verdicts(job(used=1))["few-nics"]
    assert (found.severity, found.evidence["nics_used"], found.evidence["nics_found"]) == (
        "warning",
        1,
        8,
    )
    restricted = says("NCCL_IB_HCA set by environment to mlx5_0") + job(nics=1, used=1)
    assert verdicts(restricted, Context(nics=8))["few-nics"].evidence["nics_used"] == 1
    assert verdicts(restricted)["nics-restricted"].severity == "warning"


def test_a_log_of_one_rank_does_not_tell_which_nics_are_idle() -> None:
    alone = "".join(line for line in job().splitlines(True) if ":100:" in line)
    assert "few-nics" not in verdicts(alone)
    assert verdicts(alone)["nics-partly-seen"].severity == "note"


def test_one_gpu_in_a_host_of_two_nics_leaves_one_idle() -> None:
    text = says(
        "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>",
        "comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 6000 commId 0x4 - Init START",
        "comm 0x1 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0",
        "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/1/GDRDMA",
    )
    assert verdicts(text)["nics-idle"].severity == "note"


def test_gpudirect_off_and_partly_off() -> None:
    assert verdicts(job(way="NET/IB/{nic}"))["gpudirect-off"].severity == "warning"
    mixed = job() + says("Channel 03/0 : 0[0] -> 8[0] [send] via NET/IB/0")
    assert "gpudirect-partly" in verdicts(mixed)
    assert summary(says("Connected all rings, use ring PXN 0 GDR 0"))["gdr"] is False
    assert summary(says("GPU Direct RDMA Enabled for HCA 0 'mlx5_0'"))["gdr"] is True
    assert summary(says("Connected all trees"))["gdr"] is None


def test_a_single_host_uses_no_network() -> None:
    text = says(
        "Bootstrap : Using [0]ib0:10.1.8.7<0>",
        "NET/IB : Using [0]hfi1_2:1/IB [1]hfi1_0:1/IB ; OOB ib0:10.1.8.7<0>",
        "Using network IB",
        "Channel 00/12 :    0   1   2   3",
        "Channel 00 : 3[8a000] -> 0[1a000] via P2P/IPC",
    )
    for rank in range(4):
        done = f"comm 0x1 rank {rank} nranks 4 cudaDev {rank} busId {rank}a000 - Init COMPLETE"
        text += says(done, rank=rank)
    text += "3:\n duration: 0.04 sec\n algo throughput: 96.4 bps, 0.0 Gbps\n"
    for value in (72.3661, 106.5, 1002.4938, 993.7648, 1001.9, 1000.2, 1003.1):
        text += f" busbw: {value}  Gbps\n"
    found = summary(text)
    assert (found["channels"], found["nodes"], found["network_used"]) == (12, 1, False)
    assert found["busbw_gbs"] == pytest.approx(1001.9 / 8)
    assert found["busbw_warm_up_gbs"] == [pytest.approx(9.0458), pytest.approx(13.3125)]
    assert verdicts(text).keys() == {"no-network-used", "own-busbw"}
    assert summary(text.replace("Gbps", "GBps"))["busbw_gbs"] == pytest.approx(1001.9)


def test_libfabric_and_its_provider() -> None:
    text = says(
        "NET/OFI Using aws-ofi-nccl 1.6.0",
        "NET/OFI Using Libfabric version 1.15",
        "NET/OFI Selected Provider is cxi (found 4 nics)",
        "Using network AWS Libfabric",
        "comm 0x1 rank 1 nRanks 8 nNodes 2 localRanks 1 localRank 1 MNNVL 0",
        "comm 0x1 rank 1 nranks 8 cudaDev 1 nvmlDev 1 busId 46000 commId 0x65 - Init START",
        "Channel 00/0 : 5[1] -> 1[1] [receive] via NET/AWS Libfabric/3/GDRDMA",
        "Channel 01/0 : 1[1] -> 5[1] [send] via NET/AWS Libfabric/1/GDRDMA",
    )
    found = summary(text)
    assert (found["plugin"], found["provider"]) == ("aws-ofi-nccl 1.6.0", "cxi")
    assert (found["libfabric"], found["nics_found"]) == ("1.15", 4)
    assert found["nics_used"] == ["AWS Libfabric/1", "AWS Libfabric/3"]
    assert found["transports"] == {"NET/AWS Libfabric/GDRDMA": 1}
    assert verdicts(text)["provider"].severity == "note"
    newer = says("NET/OFI Selected provider is efa, fabric is efa-direct (found 8 nics)")
    assert (summary(newer)["provider"], summary(newer)["nics_found"]) == ("efa", 8)
    groups = newer + says("NET/OFI NIC group 0 device #0 0:1", "NET/OFI NIC group 1 device #0 0:2")
    assert summary(groups)["nics_found"] == 2


@pytest.mark.parametrize(
    ("warning", "rule"),
    [
        (
            "transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer 10.0.0.2<4> with "
            "status=12 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:1 remoteGids::ffff:2",
            "sick-link",
        ),
        (
            "NCCL WARN NET/IB: mlx5_0:1 Got completion from peer 10.0.0.2<4> with "
            "status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) vendor_err=129",
            "sick-link",
        ),
        ("NCCL WARN NET/IB : Got completion with error 12, opcode 1, vendor err 129", "sick-link"),
        ("NCCL WARN NET/IB : mlx5_2:1 Got async event : port error", "sick-link"),
        ("NCCL WARN Call to ibv_modify_qp failed with error Invalid argument", "connection-failed"),
        ("NCCL WARN Net : Connection closed by remote peer 10.0.0.2<4>", "peer-died"),
        ("NCCL WARN Cuda failure 'out of memory'", "out-of-memory"),
    ],
)
def test_warnings_are_grouped_and_explained(warning: str, rule: str) -> None:
    lines = "".join(f"gpu-{name}:7:8 [3] {warning.replace('10.', '1')}\n" for name in "aab")
    found = verdicts(lines)[rule]
    assert (found.severity, found.evidence["count"]) == ("error", 3)
    assert found.evidence["hosts"] == ["gpu-a", "gpu-b"]


def test_the_peers_of_a_sick_link_are_named() -> None:
    text = "".join(
        f"gpu-a:1:2 [0] net_ib.cc:9 NCCL WARN NET/IB : mlx5_{nic}:1 Got completion from peer "
        f"10.0.0.{peer}<123> with status=12 opcode=0 len=0 vendor err 129\n"
        for nic, peer in ((0, 7), (3, 7), (3, 7), (3, 9))
    )
    found = verdicts(text)["sick-link"]
    assert found.evidence["names"][:2] == ["10.0.0.7", "mlx5_3"]
    assert "10.0.0.7" in found.message


def test_unknown_warnings_are_warnings() -> None:
    text = (
        "a:1:2 [0] x.cc:3 NCCL WARN Something odd 1\na:1:2 [0] x.cc:3 NCCL WARN Something odd 2\n"
    )
    found = verdicts(text)["nccl-warning"]
    assert (found.severity, found.evidence["count"]) == ("warning", 2)


def test_what_the_framework_says() -> None:
    text = (
        "[rank3]:[E ProcessGroupNCCL.cpp:523] [Rank 3] Watchdog caught collective operation "
        "timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE) ran for 600085 milliseconds\n"
        "RuntimeError: NCCL error: unhandled system error, NCCL version 2.18.1\n"
    )
    assert verdicts(text)["collective-timeout"].severity == "error"
    assert KIND.recognises(document_of("a", text))


def test_lines_that_run_into_each_other() -> None:
    text = (
        job()
        + "gpu-a:100:200 [0] NCCL INFO Channel 0gpu-b:108:208 [0] NCCL INFO cudaDriverVersion 12\n"
        + "gpu-a:100:200 [0] NCCL INFO Channel 00/0 : 1[0] -> 2[0] via P2P/CUMEM/reagpu-b:108:208"
        + " [0] NCCL INFO Using network IB\n"
        + "gpu-a:100:200 [0] NCCL INFO Channel 00/0 : 1[0] -> 9[0] [send] via NET/IB/0/GDgpu-b:1:2"
        + " [0] NCCL INFO Using network IB\n"
        + "ort is not avgpu-b:108:208 [0] NCCL INFO Connected all rings\n"
    )
    found = summary(text)
    assert (found["hosts"], found["spliced_lines"]) == (["gpu-a", "gpu-b"], 3)
    assert found["transports"] == {"NET/IB/GDRDMA": 16, "P2P/CUMEM": 17}
    assert verdicts(text).keys() == {"network-healthy", "spliced-lines"}


def test_in_switch_reduction_is_named() -> None:
    text = says("NVLS comm 0x1 headRank 0 nHeads 8", "Connected NVLS tree")
    assert summary(text)["algorithms"] == ["NVLS"]
    text = says("Channel 00/0 : 0[0] -> 1[0] [send] via COLLNET/SHARP/0/GDRDMA")
    assert summary(text)["algorithms"] == ["CollNet"]


def test_merged_and_two_port_nics() -> None:
    text = says(
        "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_0:2/IB [RO]; OOB eth0:10.0.0.1<0>",
        "NET/IB : Made virtual device [2] name=mlx5_0+mlx5_0:2 speed=400000 ndevs=2",
        "comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 6000 commId 0x4 - Init START",
        "comm 0x1 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0",
        "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/2/GDRDMA",
    )
    assert summary(text)["nics"] == ["mlx5_0", "mlx5_0:2"]
    assert summary(text)["nics_used"] == ["mlx5_0", "mlx5_0:2"]
    assert "nics-idle" not in verdicts(text)


def test_a_nic_in_use_that_runs_slower() -> None:
    speeds = "".join(
        says(
            f"NET/IB: [{nic}] mlx5_{nic}:uverbs{nic}:1/IB provider=Mlx5 "
            f"speed={200000 if nic == 3 else 400000} context=0x1 pciPath=/sys/devices/a ar=1"
        )
        for nic in range(8)
    )
    found = verdicts(speeds + job())["slow-nic"]
    assert found.evidence["slow"] == ["gpu-a mlx5_3"]
    assert summary(speeds + job())["nic_gbps"] == [200.0, 400.0]
    assert "slow-nic" not in verdicts(speeds.replace("200000", "400000") + job())
    assert "slow-nic" in verdicts(speeds.replace("200000", "400000") + job(), Context(100e9))


def test_addresses_of_roce() -> None:
    text = says(
        "NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>",
        "NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 287 mtu 3 GID 3 (0/8EA00AFFFF0000)",
        "NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 288 mtu 3 GID 1 (0/8EA00AFFFF0000)",
    )
    found = verdicts(text)
    assert found["gid-index-differs"].evidence["gid_indexes"] == [1, 3]
    assert found["small-mtu"].evidence["mtus_bytes"] == [1024]


def test_settings_versions_and_peers() -> None:
    text = says("NCCL version 2.20.5+cuda12.4", "NCCL_ALGO set by environment to RING.")
    text += says("NCCL version 2.21.5+cuda12.4", "NCCL_ALGO set by environment to TREE")
    text += says("NCCL_P2P_DISABLE set by environment to 1", "2 coll channels, 2 p2p channels")
    found = verdicts(text)
    assert found.keys() == {"mixed-versions", "settings-differ", "p2p-disabled", "few-channels"}
    assert summary(text)["environment"]["NCCL_ALGO"] == ["RING", "TREE"]


def test_rccl_and_its_addresses() -> None:
    text = "RCCL version : 2.22.3-HEAD:9f86914\n" + says(
        "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC comm 0x7f1 nRanks 08",
        "Channel 01/0 : 0[0] -> 1[1] via P2P/IPC comm 0x7f2 nRanks 08",
        "Channel 01/0 : 0[0] -> 8[1] [send] via NET/IB/3(5)/GDRDMA/Shared comm 0x7f2 nRanks 08",
    )
    assert summary(text)["version"] == "RCCL 2.22.3-HEAD"
    assert summary(text)["transports"] == {"NET/IB/GDRDMA": 1, "P2P/IPC": 2}
    assert summary(text)["nics_used"] == ["IB/3"]


def test_prefixes_of_launchers_and_timestamps() -> None:
    line = says("Using network IB").strip()
    for prefix in (
        "[1,0]<stdout>:",
        "0: ",
        "(Worker pid=7) ",
        "[2025-01-02 03:04:05] ",
        "pod-1 | ",
    ):
        assert summary(prefix + line)["hosts"] == ["gpu-a"]
    trace = "gpu-a:1:2 [1] 98.862872 nccl_net_ofi_init:1396 NCCL TRACE NET/OFI Provider cxi\n"
    assert summary(trace)["hosts"] == ["gpu-a"]


WHOLE = job(ranks=8) + "a:1:2 [0] x.cc:3 NCCL WARN Something odd\n busbw: 12.5 Gbps\n"


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)), st.binary(max_size=40))
def test_cut_and_spliced_logs_are_read(a: int, b: int, noise: bytes) -> None:
    content, _ = KIND.read(document_of("a", WHOLE[:a].encode() + noise + WHOLE[b:].encode()))
    KIND.summarise(content)
    KIND.judge(content, Context(50e9, 8))


@pytest.mark.parametrize(
    "unit",
    ["a:1:2 [0] NCCL INFO Channel 00 ", "NCCL ", "a" * 50, "a:1:", "busbw: ", "NCCL WARN 1", " |"],
)
def test_reading_takes_time_as_the_file_is_long(unit: str) -> None:
    text = unit * (60_000 // len(unit)) + " NCCL INFO x\n"
    with no_hang():
        content, _ = KIND.read(document_of("a", text * 20))
        KIND.judge(content, Context())


def test_logs_of_the_first_versions_and_names_that_were_removed() -> None:
    text = (
        "<node>:11:12 [0] NCCL INFO NET/IB : No device found.\n"
        "<node>:11:12 [0] NCCL INFO Using internal Network Socket\n"
        "<node>:11:12 [0] NCCL INFO Channel 00 :    0   1   2   3\n"
        "<node>:11:12 [0] NCCL INFO Channel 01 :    0   1   2   3\n"
        "<node>:11:12 [0] NCCL INFO Ring 00 : 2[0] -> 3[0] via direct shared memory\n"
        "<node>:11:12 [0] NCCL INFO Ring 00 : 15 -> 0 [receive] via NET/Socket/0\n"
    )
    found = summary(text)
    assert (found["hosts"], found["network"], found["channels"]) == (["<node>"], "Socket", 2)
    assert found["transports"] == {"NET/Socket": 0, "SHM": 1}
    assert verdicts(text).keys() == {"tcp-fallback", "shared-memory", "few-channels"}
