"""nvidia-smi topo -m as people paste it, and which GPU has which NIC near it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from no_hang import no_hang

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.gpu_topology import KIND
from netdesign.audit.gpu_topology.content import GpuTopology
from netdesign.audit.report import Finding

TWO = (
    "\t\x1b[4mGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    "GPU0\t X \tNV18\tPIX\tSYS\t0-55,112-167\t0\t\tN/A\n"
    "GPU1\tNV18\t X \tSYS\tPIX\t56-111\t1\t\tN/A\n"
    "NIC0\tPIX\tSYS\t X \tSYS\t\t\t\t\n"
    "NIC1\tSYS\tPIX\tSYS\t X \t\t\t\t\n"
    "\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe as well as the SMP\n"
    "\nNIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: rocep13s0f0\n"
)


def matrices(text: str) -> GpuTopology:
    content: GpuTopology = KIND.read(document_of("a", text))[0]
    return content


def summary(text: str) -> dict[str, Any]:
    return KIND.summarise(matrices(text))


def verdicts(text: str, context: Context | None = None) -> dict[str, Finding]:
    found = KIND.judge(matrices(text), context or Context())
    return {finding.rule: finding for finding in found}


def grid(names: list[str], ways: dict[tuple[str, str], str], numa: dict[str, str]) -> str:
    """A matrix in which unnamed pairs are SYS."""
    lines = ["\t" + "\t".join(names) + "\tCPU Affinity\tNUMA Affinity"]
    for a in names:
        cells = [" X " if a == b else ways.get((a, b), ways.get((b, a), "SYS")) for b in names]
        tail = f"\t0-7\t{numa[a]}" if a in numa else ""
        lines.append(a + "\t" + "\t".join(cells) + tail)
    return "\n".join(lines) + "\n"


def gpus(count: int) -> list[str]:
    return [f"GPU{number}" for number in range(count)]


def meshed(count: int, link: str = "NV18") -> dict[tuple[str, str], str]:
    return {(a, b): link for a in gpus(count) for b in gpus(count) if a < b}


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: text.expandtabs(8),
        lambda text: text.replace("\t0\t\tN/A", "\t0 N/A").replace("\t1\t\tN/A", "\t1 N/A"),
        lambda text: "\n".join("# " + line for line in text.splitlines()),
        lambda text: "\n".join("    " + line for line in text.splitlines()),
        lambda text: text.split("\nLegend")[0] + "\n  NIC0: mlx5_0\n  NIC1: rocep13s0f0\n",
    ],
)
def test_one_matrix_in_many_clothes(change: Any) -> None:
    found = summary(change(TWO))
    assert (found["gpus"], found["nics"], found["nvlink"]) == (2, 2, "NV18")
    assert found["affinity"][0] == {
        "gpu": "GPU0",
        "cpus": "0-55,112-167",
        "numa": 0,
        "best_nics": ["NIC0"],
        "best_devices": ["mlx5_0"],
        "best": "PIX",
    }
    assert found["affinity"][1]["best_devices"] == ["rocep13s0f0"]
    assert found["numa"] == [
        {"node": 0, "gpus": ["GPU0"], "nics": ["NIC0"]},
        {"node": 1, "gpus": ["GPU1"], "nics": ["NIC1"]},
    ]
    assert verdicts(change(TWO)).keys() == {"nvlink", "rails-healthy"}


def test_every_line_is_understood() -> None:
    document = document_of("a", TWO)
    used = KIND.read(document)[1]
    assert not [line for line in document.lines() if line.text and line.number not in used]
    assert KIND.recognises(document)


def test_names_of_old_drivers_and_lists_of_processors() -> None:
    text = (
        "\tGPU0\tGPU1\tmlx5_0\tCPU Affinity\n"
        "GPU0\t X \tNODE\tNODE\t0,2,4,6\nGPU1\tNODE\t X \tNODE\t0,2,4,6\n"
        "mlx5_0 NODE\tNODE\t X\n"
    )
    found = summary(text)
    assert found["affinity"][0]["cpus"] == "0,2,4,6"
    assert found["affinity"][0]["best_nics"] == ["mlx5_0"]
    assert found["nvlink"] is None
    assert {"no-nvlink", "no-near-nic"} <= verdicts(text).keys()


def test_a_range_of_numa_nodes_ties_a_gpu_to_none() -> None:
    text = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tPHB\t0-9\t0-1\n"
    text += "GPU1\tPHB\t X \t0-9\t0-1\n"
    assert summary(text)["affinity"][0]["numa"] == "0-1"
    found = verdicts(text)
    assert found.keys() == {"no-nvlink", "no-gpudirect-peers", "no-nic-listed"}
    assert {finding.severity for finding in found.values()} == {"note"}


def test_a_gpu_without_a_near_nic_borrows_one() -> None:
    names = [*gpus(4), "NIC0", "NIC1", "NIC2"]
    ways = meshed(4) | {("GPU0", "NIC0"): "PIX", ("GPU1", "NIC1"): "PXB", ("GPU2", "NIC2"): "PIX"}
    ways |= {("GPU3", "NIC2"): "NODE"}
    numa = {"GPU0": "0", "GPU1": "0", "GPU2": "1", "GPU3": "1"}
    found = verdicts(grid(names, ways, numa))["gpu-borrows-nic"]
    assert (found.severity, found.evidence["gpus"]) == ("warning", ["GPU3"])
    assert found.evidence["best_nics"] == {"GPU3": ["NIC2"]}
    assert "PXN" in found.message


def test_nics_shared_evenly_are_a_note_and_unevenly_a_warning() -> None:
    names = [*gpus(4), "NIC0", "NIC1", "NIC2"]
    numa = dict.fromkeys(gpus(4), "0")
    even = meshed(4) | {(gpu, "NIC0" if gpu < "GPU2" else "NIC1"): "PXB" for gpu in gpus(4)}
    assert verdicts(grid(names, even, numa))["nic-shared"].severity == "note"
    uneven = even | {("GPU2", "NIC1"): "PIX", ("GPU3", "NIC1"): "SYS", ("GPU3", "NIC2"): "PIX"}
    assert verdicts(grid(names, uneven, numa))["nics-uneven"].severity == "warning"


def test_a_nic_for_storage_beside_full_rails_is_no_fault() -> None:
    names = [*gpus(2), "NIC0", "NIC1", "NIC2"]
    ways = meshed(2) | {("GPU0", "NIC0"): "PIX", ("GPU1", "NIC1"): "PIX", ("GPU0", "NIC2"): "NODE"}
    found = verdicts(grid(names, ways, {"GPU0": "0", "GPU1": "1"}))
    assert found.keys() == {"nvlink", "rails-healthy"}
    assert "storage or management" in found["rails-healthy"].message


def test_numa_imbalance() -> None:
    names = [*gpus(4), *(f"NIC{number}" for number in range(5))]
    ways = {(gpu, f"NIC{nic}"): "NODE" for gpu in ("GPU0", "GPU1") for nic in range(4)}
    ways |= {("GPU2", "NIC4"): "NODE", ("GPU3", "NIC4"): "NODE"}
    numa = {"GPU0": "0", "GPU1": "0", "GPU2": "1", "GPU3": "1"}
    found = verdicts(grid(names, ways, numa))["numa-imbalance"]
    assert found.severity == "warning"
    assert [len(node["nics"]) for node in found.evidence["numa"]] == [4, 1]


@pytest.mark.parametrize(
    ("pair", "link", "poor"),
    [(None, "NV18", None), ("GPU2", "NV16", ["GPU2"]), (("GPU0", "GPU3"), "NV9", ["GPU0", "GPU3"])],
)
def test_missing_nvlinks_are_an_error(pair: Any, link: str, poor: list[str] | None) -> None:
    ways = meshed(4)
    for key in ways:
        if key == pair or (isinstance(pair, str) and pair in key):
            ways[key] = link
    found = verdicts(grid(gpus(4), ways, dict.fromkeys(gpus(4), "0"))).get("nvlink-missing")
    assert (found and found.evidence["gpus"]) == poor
    assert found is None or found.severity == "error"


def test_a_card_without_a_bridge_is_no_broken_switch() -> None:
    bridged = grid(gpus(4), {("GPU0", "GPU1"): "NV4"}, {})
    assert verdicts(bridged)["nvlink-missing"].severity == "warning"
    dropped = meshed(8)
    for key in dropped:
        if "GPU5" in key:
            dropped[key] = "SYS"
    found = verdicts(grid(gpus(8), dropped, {}))["nvlink-missing"]
    assert (found.severity, found.evidence["gpus"]) == ("error", ["GPU5"])


def test_a_mesh_of_single_and_double_links_is_whole() -> None:
    ways = {("GPU0", "GPU1"): "NV1", ("GPU2", "GPU3"): "NV1", ("GPU0", "GPU2"): "NV2"}
    ways |= {("GPU1", "GPU3"): "NV2"}
    found = summary(grid(gpus(4), ways, {}))
    assert found["nvlink"] == "NV1-NV2"
    assert "nvlink-missing" not in verdicts(grid(gpus(4), ways, {}))


def test_asymmetric_matrix() -> None:
    assert "matrix-asymmetric" in verdicts(TWO.replace("NIC0\tPIX", "NIC0\tPXB"))


def test_grace_and_processors_that_hold_everything() -> None:
    ways = meshed(2)
    text = grid([*gpus(2), "NIC0"], ways, dict.fromkeys(gpus(2), "0"))
    assert verdicts(text)["nic-on-processor"].severity == "note"
    plain = grid([*gpus(2), "NIC0"], {("GPU0", "GPU1"): "PHB"}, dict.fromkeys(gpus(2), "0"))
    assert verdicts(plain)["no-near-nic"].severity == "warning"


def test_pcie_only_and_peer_matrices() -> None:
    text = "$ nvidia-smi topo -mp\n" + grid(gpus(2), {}, {})
    assert verdicts(text).keys() >= {"nvlink-not-shown", "no-nic-listed"}
    peers = grid(gpus(2), {}, {}) + "\n \tGPU0\tGPU1\t\n GPU0\tX\tGNS\t\n GPU1\tGNS\tX\t\n"
    assert len(matrices(peers).matrices) == 1
    assert verdicts(peers)["peers-blocked"].severity == "note"
    alone = " \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n GPU1\tOK\tX\t\n"
    assert "matrix-asymmetric" not in verdicts(alone)


def test_a_matrix_that_is_cut() -> None:
    cut = TWO.split("GPU1\tNV18")[0]
    assert summary(cut)["affinity"][0]["best"] == "PIX"
    assert "matrix-cut" in verdicts(cut)
    assert "nvlink-missing" not in verdicts(cut)
    headless = TWO.split("\n", 1)[1]
    assert (summary(headless)["gpus"], summary(headless)["nvlink"]) == (2, "NV18")


def test_several_hosts() -> None:
    found = summary("host a\n" + TWO + "host b\n" + TWO.replace("NV18", "NV12"))
    assert [host["nvlink"] for host in found["hosts"]] == ["NV18", "NV12"]


def test_fewer_nics_than_the_design() -> None:
    assert verdicts(TWO, Context(nics=8))["nics-missing"].evidence == {"nics": 2, "expected": 8}


RADEON = """
============================ ROCm System Management Interface ============================
================================= Hops between two GPUs ==================================
       GPU0         GPU1
GPU0   0            1
GPU1   1            0

=============================== Link Type between two GPUs ===============================
       GPU0         GPU1
GPU0   0            XGMI
GPU1   XGMI         0

======================================= Numa Nodes =======================================
GPU[0]\t\t: (Topology) Numa Node: 0
GPU[1]\t\t: (Topology) Numa Node: 1
GPU[1]\t\t: (Topology) Numa Affinity: 1
================================== End of ROCm SMI Log ===================================
"""


def test_rocm_smi() -> None:
    found = summary(RADEON)
    assert (found["gpus"], found["nvlink"], found["tool"]) == (2, "XGMI", "rocm-smi")
    assert [gpu["numa"] for gpu in found["affinity"]] == [0, 1]
    assert summary(RADEON.replace("XGMI", "PCIE"))["nvlink"] is None
    assert verdicts(RADEON).keys() == {"nvlink"}


@given(
    st.integers(0, len(TWO)), st.integers(0, len(TWO)), st.binary(max_size=30), st.integers(0, 3)
)
def test_cut_and_spliced_matrices_are_read(a: int, b: int, noise: bytes, times: int) -> None:
    content, _ = KIND.read(
        document_of("a", TWO[:a].encode() + noise + (TWO + RADEON)[b:].encode() * times)
    )
    KIND.summarise(content)
    KIND.judge(content, Context(50e9, 8))


def test_many_wide_matrices_are_bounded() -> None:
    names = [*gpus(100), *(f"NIC{number}" for number in range(20))]
    wide = "\t" + "\t".join(names) + "\tCPU Affinity\nGPU0\t" + "\t".join(["NV18"] * 120) + "\n"
    with no_hang():
        KIND.summarise(matrices(wide * 300))


@pytest.mark.parametrize(
    "unit", ["GPU0 ", "GPU0 X ", "X = ", "NIC0: ", "GPU", "GPU0\tNV18\t", "GPU0 a"]
)
def test_reading_is_linear(unit: str) -> None:
    with no_hang():
        title = "==== Link Type between two GPUs ====\n"
        content, _ = KIND.read(document_of("a", title + (unit * 3000 + "!\n") * 20))
        KIND.judge(content, Context())
