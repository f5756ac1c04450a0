"""What NCCL takes, and what the words of a description say."""

from __future__ import annotations

import numpy as np
import pytest

from netdesign.network.nccl.choice import Ranks, choose, searched_group, tuning_time
from netdesign.network.nccl.hardware import FABRICS, GENERATIONS, LINKS, described
from netdesign.network.nccl.tables import ALGORITHMS, PROTOCOLS
from netdesign.network.nccl.tuning import LEGAL

SIZES = 2.0 ** np.arange(3, 35)


def machine(ranks=8, domains=1, generation="hopper", link="nvlink4", fabric="infiniband", **other):
    """One case for each of SIZES."""
    count = len(SIZES)
    fields = {
        "ranks": float(ranks),
        "domains": float(domains),
        "generation": GENERATIONS.index(generation),
        "link": LINKS.index(link),
        "mesh": False,
        "fabric": FABRICS.index(fabric) if domains > 1 else -1,
        "nic_bandwidth": 50e9,
        "algorithm": -1,
        "protocol": -1,
    }
    return Ranks(**{name: np.full(count, value) for name, value in (fields | other).items()})


def names(operation, ranks):
    algorithms, protocols = choose(operation, SIZES, ranks)
    return [f"{ALGORITHMS[a]} {PROTOCOLS[p]}" for a, p in zip(algorithms, protocols, strict=True)]


def test_an_h100_server_adds_in_its_switches_when_messages_are_large():
    taken = names("all-reduce", machine())
    assert taken[0].endswith(" ll")
    assert taken[-1] == "nvls simple"
    assert names("all-reduce", machine(generation="ampere", link="nvlink3"))[-1] == "ring simple"


def test_two_gpus_and_a_mesh_have_no_switch_that_adds():
    assert not any("nvls" in name for name in names("all-reduce", machine(ranks=2)))
    assert not any("nvls" in name for name in names("all-reduce", machine(ranks=4, mesh=True)))


def test_an_all_gather_goes_by_rings_from_ll_over_ll128_to_simple():
    taken = names("all-gather", machine())
    assert list(dict.fromkeys(taken)) == ["ring ll", "ring ll128", "ring simple"]


def test_ll128_needs_nvlink_and_ordered_stores():
    pcie = machine(ranks=4, generation="ada", link="pcie-4")
    assert not any("ll128" in name for name in names("all-reduce", pcie))
    far = machine(ranks=16, domains=2, generation="ampere", link="nvlink3", fabric="slingshot")
    assert not any("ll128" in name for name in names("all-gather", far))
    near = machine(ranks=16, domains=2, generation="ampere", link="nvlink3")
    assert any("ll128" in name for name in names("all-gather", near))


def test_what_is_forced_is_taken():
    ring, ll128 = ALGORITHMS.index("ring"), PROTOCOLS.index("ll128")
    forced = machine(ranks=4, generation="ada", link="pcie-4", algorithm=ring, protocol=ll128)
    assert set(names("all-reduce", forced)) == {"ring ll128"}
    sharp = machine(ranks=16, domains=2, algorithm=ALGORITHMS.index("collnet-chain"))
    assert set(names("all-reduce", sharp)) == {"collnet-chain simple"}


@pytest.mark.parametrize("operation", LEGAL)
@pytest.mark.parametrize("domains", [1, 2, 16])
def test_the_choice_is_the_least_of_the_table(operation, domains):
    ranks = machine(ranks=8 * domains, domains=domains)
    group = searched_group(ranks)
    algorithms, protocols = choose(operation, SIZES, ranks)
    for position in range(0, len(SIZES), 5):
        own = tuning_time(
            operation,
            ALGORITHMS[algorithms[position]],
            PROTOCOLS[protocols[position]],
            SIZES,
            group,
        )[position]
        for protocol in PROTOCOLS:
            other = tuning_time(operation, "ring", protocol, SIZES, group)[position]
            assert own <= other * (1 + 1e-12)


@pytest.mark.parametrize(
    ("accelerator", "link", "fabric", "kinds"),
    [
        ("H100-SXM5-80GB", "", "InfiniBand NDR400", ("hopper", "nvlink4", False, 0, "infiniband")),
        ("A100", "NVLink3 direct (4-GPU mesh)", "Slingshot-11",
         ("ampere", "nvlink3", True, 0, "slingshot")),
        ("GB200 (4 GPU/node)", "NVLink5 NVL72 domain", "",
         ("blackwell", "nvlink5", False, 72, "")),
        ("A100-SXM4-40GB", "NVLink3+NVSwitch", "TCP sockets over IPoIB (HDR)",
         ("ampere", "nvlink3", False, 0, "infiniband")),
        ("MI300X", "", "RoCEv2 400G", ("cdna3", "xgmi", False, 0, "roce")),
        ("RTX PRO 6000 Blackwell", "PCIe Gen5 (no NVLink)", "TCP over 10GbE",
         ("blackwell", "pcie-5", False, 0, "tcp")),
        ("NVIDIA H100 PCIe", "", "Spectrum-X 400GbE", ("hopper", "pcie-5", False, 0, "roce")),
        ("A10G", "", "", ("ampere", "pcie-4", False, 0, "")),
        ("V100", "", "EFA v1 100G", ("volta", "nvlink2", False, 0, "efa-1")),
        ("H200", "NVLink+NVSwitch (900 GB/s)", "EFA v3",
         ("hopper", "nvlink4", False, 0, "efa")),
        ("abacus", "string", "pigeon", ("", "", False, 0, "")),
    ],
)  # fmt: skip
def test_words_name_hardware(accelerator, link, fabric, kinds):
    found = described(accelerator, link, fabric)
    assert (found.generation, found.link, found.mesh, found.domain, found.fabric) == kinds
