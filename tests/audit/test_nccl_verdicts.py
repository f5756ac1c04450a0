"""Each verdict of the NCCL checker: the published cheat sheets, releases, networks, values."""

from __future__ import annotations

import itertools

import pytest

from netdesign.audit.nccl_check import Finding, check_settings, cloud_note
from netdesign.audit.nccl_check.judge import Context, judge
from netdesign.catalog import references
from netdesign.catalog.nccl_variables import (
    NcclAdvice,
    NcclOwner,
    NcclVariable,
    fabric_named,
    nccl_tables,
    version_of,
)


def verdicts(text: str, nccl: str | None = None, fabric: str | None = None) -> dict[str, Finding]:
    """The finding on the effective value of each variable."""
    report = check_settings(
        text,
        version=version_of(nccl) if nccl else None,
        fabric=fabric_named(fabric) if fabric else None,
    )
    return {finding.variable: finding for finding in report.findings}


def verdict(setting: str, nccl: str | None = None, fabric: str | None = None) -> str:
    """The verdict on the first variable of a line."""
    return verdicts(setting, nccl, fabric)[setting.partition("=")[0]].verdict


# The settings of the cheat sheets, with what the manual and the source of 62 releases say of them.
SHEETS = [
    ("NCCL_NET=IB", "situational"),
    ("NCCL_IB_HCA=mlx5_0:1,mlx5_1:1", "situational"),
    ("NCCL_SOCKET_NTHREADS=4", "situational"),
    ("NCCL_NSOCKS_PERTHREAD=4", "situational"),
    ("NCCL_ALGO=Ring", "harmful"),
    ("NCCL_ALGO=Ring,Treering", "invalid-value"),
    ("NCCL_PROTO=LL", "harmful"),
    ("NCCL_PROTO=LL,Simple", "harmful"),
    ("NCCL_IB_TIMEOUT=22", "situational"),
    ("NCCL_IB_RETRY_CNT=7", "redundant"),
    ("NCCL_IB_QPS_PER_CONNECTION=8", "situational"),
    ("NCCL_IB_SPLIT_DATA_ON_QPS=1", "harmful"),
    ("NCCL_IB_SL=1", "situational"),
    ("NCCL_IB_SL=0", "redundant"),
    ("NCCL_IB_GID_INDEX=3", "harmful"),
    ("NCCL_IB_TC=160", "situational"),
    ("NCCL_MAX_NCHANNELS=16", "deprecated"),
    ("NCCL_MIN_NCHANNELS=8", "deprecated"),
    ("NCCL_TOPO_DUMP_FILE=/tmp/topo.xml", "ok"),
    ("NCCL_IB_DISABLE=1", "harmful"),
    ("NCCL_IB_HCA_COMPAT=1", "unknown"),
]


@pytest.mark.parametrize(("setting", "expected"), SHEETS)
def test_settings_of_the_cheat_sheets(setting: str, expected: str) -> None:
    assert verdict(setting, "2.27") == expected


VERSIONS = [
    ("NCCL_NET=IB", "2.9", "", "unknown"),
    ("NCCL_NET=IB", "2.10", "", "situational"),
    ("NCCL_MAX_NCHANNELS=16", "2.16", "", "situational"),
    ("NCCL_MAX_NCHANNELS=16", "2.17", "", "deprecated"),
    ("NCCL_MAX_CTAS=16", "2.16", "", "unknown"),
    ("NCCL_MAX_CTAS=48", "2.24", "", "invalid-value"),
    ("NCCL_MAX_CTAS=48", "2.25", "", "situational"),
    ("NCCL_IB_TIMEOUT=14", "2.13", "", "redundant"),
    ("NCCL_IB_TIMEOUT=18", "2.13", "", "situational"),
    ("NCCL_IB_TIMEOUT=18", "2.14", "", "redundant"),
    ("NCCL_IB_TIMEOUT=18", "2.22", "", "redundant"),
    ("NCCL_IB_TIMEOUT=18", "2.23", "", "situational"),
    ("NCCL_IB_TIMEOUT=20", "2.23", "", "redundant"),
    ("NCCL_IB_TIMEOUT=0", "2.27", "", "harmful"),
    ("NCCL_IB_SPLIT_DATA_ON_QPS=1", "2.17", "", "unknown"),
    ("NCCL_IB_SPLIT_DATA_ON_QPS=1", "2.19", "", "redundant"),
    ("NCCL_IB_SPLIT_DATA_ON_QPS=0", "2.19", "", "situational"),
    ("NCCL_IB_SPLIT_DATA_ON_QPS=0", "2.20", "", "redundant"),
    ("NCCL_IB_GID_INDEX=3", "2.20", "roce", "situational"),
    ("NCCL_IB_GID_INDEX=0", "2.20", "roce", "redundant"),
    ("NCCL_IB_GID_INDEX=3", "2.21", "roce", "harmful"),
    ("NCCL_IB_GID_INDEX=3", "2.21", "infiniband", "harmful"),
    ("NCCL_IB_GID_INDEX=3", "2.22", "infiniband", "redundant"),
    ("NCCL_IB_GID_INDEX=-1", "2.27", "roce", "redundant"),
    ("NCCL_CUMEM_ENABLE=0", "2.18", "", "redundant"),
    ("NCCL_CUMEM_ENABLE=0", "2.19", "", "situational"),
    ("NCCL_PXN_C2C=0", "2.27", "", "redundant"),
    ("NCCL_PXN_C2C=1", "2.28", "", "redundant"),
    ("NCCL_TREE_THRESHOLD=0", "2.4", "", "situational"),
    ("NCCL_TREE_THRESHOLD=0", "2.5", "", "unknown"),
    ("NCCL_IB_CUDA_SUPPORT=1", "2.27", "", "unknown"),
    ("NCCL_RAS_ENABLE=0", "2.23", "", "unknown"),
    ("NCCL_RAS_ENABLE=0", "2.24", "", "ok"),
    ("NCCL_CHECK_POINTERS=1", "2.27", "", "situational"),
    ("NCCL_CHECK_POINTERS=1", "2.30", "", "deprecated"),
    ("NCCL_LAUNCH_MODE=GROUP", "2.8", "", "ok"),
    ("NCCL_LAUNCH_MODE=GROUP", "2.9", "", "deprecated"),
    ("NCCL_ALGO=PAT", "2.22", "", "invalid-value"),
    ("NCCL_IB_HCA==mlx5_0:1:0:0", "2.29", "", "invalid-value"),
    ("NCCL_IB_HCA==mlx5_0:1", "2.29", "", "ok"),
    ("NCCL_ALGO=PAT", "2.23", "", "situational"),
    ("NCCL_ALGO=Collnet", "2.13", "", "situational"),
    ("NCCL_ALGO=Collnet", "2.14", "", "invalid-value"),
    ("NCCL_ALGO=allreduce:tree,ring", "2.23", "", "invalid-value"),
    ("NCCL_ALGO=allreduce:tree,ring", "2.24", "", "situational"),
]
FABRICS = [
    ("NCCL_NET=IB", "efa", "harmful"),
    ("NCCL_NET=IB", "gib", "harmful"),
    ("NCCL_NET=ib", "efa", "harmful"),
    ("NCCL_NET=IB", "infiniband", "situational"),
    ("NCCL_NET=Socket", "infiniband", "harmful"),
    ("NCCL_NET=Socket", "", "situational"),
    ("NCCL_NET=Socket", "sockets", "redundant"),
    ("NCCL_NET=FasTrak", "tcpxo", "situational"),
    ("NCCL_NET_PLUGIN=none", "efa", "harmful"),
    ("NCCL_NET_PLUGIN=none", "roce", "situational"),
    ("NCCL_NET_PLUGIN=foo", "", "situational"),
    ("NCCL_IB_HCA==mlx5_0,mlx5_1", "", "ok"),
    ("NCCL_IB_HCA=^=mlx5_bond_0", "", "ok"),
    ("NCCL_IB_HCA=^mlx5_1", "", "situational"),
    ("NCCL_IB_HCA=mlx5_0", "efa", "redundant"),
    ("NCCL_IB_TIMEOUT=22", "sockets", "redundant"),
    ("NCCL_IB_TIMEOUT=22", "gib", "situational"),
    ("NCCL_IB_QPS_PER_CONNECTION=4", "roce-hashed", "ok"),
    ("NCCL_IB_QPS_PER_CONNECTION=4", "roce-adaptive", "situational"),
    ("NCCL_IB_QPS_PER_CONNECTION=4", "slingshot", "redundant"),
    ("NCCL_IB_ADAPTIVE_ROUTING=1", "", "situational"),
    ("NCCL_IB_ADAPTIVE_ROUTING=1", "infiniband", "redundant"),
    ("NCCL_IB_ADAPTIVE_ROUTING=0", "infiniband", "situational"),
    ("NCCL_IB_ADAPTIVE_ROUTING=0", "roce", "redundant"),
    ("NCCL_IB_ADAPTIVE_ROUTING=1", "roce-adaptive", "ok"),
    ("NCCL_IB_ADAPTIVE_ROUTING=1", "roce-hashed", "situational"),
    ("NCCL_IB_TC=106", "infiniband", "redundant"),
    ("NCCL_IB_TC=106", "roce", "situational"),
    ("NCCL_IB_FIFO_TC=84", "infiniband", "redundant"),
    ("NCCL_IB_FIFO_TC=84", "roce", "situational"),
    ("NCCL_IB_ADDR_RANGE=10.0.0.0/16", "infiniband", "redundant"),
    ("NCCL_IB_ADDR_RANGE=10.0.0.0/16", "roce", "situational"),
    ("NCCL_IB_ADDR_FAMILY=AF_INET6", "infiniband", "redundant"),
    ("NCCL_IB_ROCE_VERSION_NUM=1", "infiniband", "redundant"),
    ("NCCL_SOCKET_NTHREADS=4", "infiniband", "redundant"),
    ("NCCL_SOCKET_NTHREADS=4", "sockets", "situational"),
    ("NCCL_IB_DISABLE=1", "roce", "harmful"),
    ("NCCL_IB_DISABLE=1", "efa", "situational"),
    ("NCCL_IB_DISABLE=1", "sockets", "redundant"),
    ("NCCL_COLLNET_ENABLE=1", "infiniband", "situational"),
    ("NCCL_COLLNET_ENABLE=1", "roce", "redundant"),
    ("FI_PROVIDER=efa", "efa", "ok"),
    ("FI_PROVIDER=efa", "", "situational"),
]
VALUES = [
    ("NCCL_P2P_DISABLE=1", "harmful"),
    ("NCCL_P2P_DISABLE=0", "redundant"),
    ("NCCL_SHM_DISABLE=1", "harmful"),
    ("NCCL_P2P_LEVEL=LOC", "harmful"),
    ("NCCL_P2P_LEVEL=0", "harmful"),
    ("NCCL_P2P_LEVEL=NVL", "situational"),
    ("NCCL_P2P_DIRECT_DISABLE=1", "harmful"),
    ("NCCL_NET_GDR_LEVEL=LOC", "harmful"),
    ("NCCL_NET_GDR_LEVEL=0", "harmful"),
    ("NCCL_NET_GDR_LEVEL=SYS", "situational"),
    ("NCCL_NET_GDR_LEVEL=FAR", "invalid-value"),
    ("NCCL_DEBUG=INFO", "ok"),
    ("NCCL_DEBUG=info", "ok"),
    ("NCCL_DEBUG=TRACE", "situational"),
    ("NCCL_DEBUG=VERBOSE", "invalid-value"),
    ("NCCL_PROTO=LL128", "harmful"),
    ("NCCL_PROTO=Simple", "situational"),
    ("NCCL_PROTO=^LL128", "situational"),
    ("NCCL_PROTO=Simple,LL128", "situational"),
    ("NCCL_PROTO=LLL", "invalid-value"),
    ("NCCL_PROTO=allreduce:ll,simple", "harmful"),
    ("NCCL_ALGO=^Ring", "situational"),
    ("NCCL_ALGO=tree;allreduce:ring", "harmful"),
    ("NCCL_ALGO='tree;ring'", "invalid-value"),
    ("NCCL_ALGO=allredoce:ring", "invalid-value"),
    ("NCCL_ALGO=Ring,", "invalid-value"),
    ("NCCL_ALGO=allreduce:^tree", "situational"),
    ("NCCL_CROSS_NIC=0", "situational"),
    ("NCCL_CROSS_NIC=1", "situational"),
    ("NCCL_CROSS_NIC=2", "redundant"),
    ("NCCL_CROSS_NIC=3", "invalid-value"),
    ("NCCL_PXN_DISABLE=1", "situational"),
    ("NCCL_NVLS_ENABLE=0", "situational"),
    ("NCCL_NVLS_ENABLE=1", "ok"),
    ("NCCL_MIN_CTAS=32", "situational"),
    ("NCCL_MIN_CTAS=65", "invalid-value"),
    ("NCCL_GDR_FLUSH_DISABLE=1", "harmful"),
    ("NCCL_LEGACY_CUDA_REGISTER=1", "harmful"),
    ("NCCL_BUFFSIZE=8388608", "situational"),
    ("NCCL_BUFFSIZE=4194304", "redundant"),
    ("NCCL_BUFFSIZE=0x400000", "redundant"),
    ("NCCL_BUFFSIZE=8000000", "invalid-value"),
    ("NCCL_BUFFSIZE=8M", "invalid-value"),
    ("NCCL_IB_TIMEOUT=32", "invalid-value"),
    ("NCCL_IB_TIMEOUT=026", "situational"),
    ("NCCL_IB_TIMEOUT=09", "invalid-value"),
    ("NCCL_IB_RETRY_CNT=8", "invalid-value"),
    ("NCCL_IB_RETRY_CNT=3", "situational"),
    ("NCCL_IB_QPS_PER_CONNECTION=129", "invalid-value"),
    ("NCCL_IB_SL=16", "invalid-value"),
    ("NCCL_IB_TC=256", "invalid-value"),
    ("NCCL_IB_TC=-2", "invalid-value"),
    ("NCCL_NSOCKS_PERTHREAD=0", "invalid-value"),
    ("NCCL_IB_DISABLE=true", "invalid-value"),
    ("NCCL_IB_DISABLE=2", "invalid-value"),
    ("NCCL_IB_HCA=mlx5_*", "invalid-value"),
    ("NCCL_IB_HCA=mlx5_0,,mlx5_1", "invalid-value"),
    ("NCCL_IB_HCA=mlx5_0:x", "invalid-value"),
    ("NCCL_IB_HCA==mlx5_0:1:0:0", "ok"),
    ("NCCL_IB_HCA=" + ",".join(f"mlx5_{n}" for n in range(33)), "invalid-value"),
    ("NCCL_SOCKET_IFNAME=^docker,lo", "situational"),
    ("NCCL_SOCKET_IFNAME=eth*", "invalid-value"),
    ("NCCL_SOCKET_IFNAME=averyveryverylongname0", "invalid-value"),
    ("NCCL_SOCKET_IFNAME==eth0", "situational"),
    ("NCCL_SOCKET_FAMILY=ipv4", "invalid-value"),
    ("NCCL_SOCKET_FAMILY=AF_INET", "ok"),
    ("NCCL_SOCKET_NTHREADS=17", "invalid-value"),
    ("NCCL_IB_ADDR_RANGE=ten", "invalid-value"),
    ("NCCL_NETDEVS_POLICY=MAX:2", "ok"),
    ("NCCL_NETDEVS_POLICY=MAX", "invalid-value"),
    ("NCCL_NETDEVS_POLICY=AUTO", "redundant"),
    ("NCCL_CTA_POLICY='EFFICIENCY|ZERO'", "ok"),
    ("NCCL_RAS_ADDR=localhost:28028", "redundant"),
    ("NCCL_RAS_ADDR=localhost", "invalid-value"),
    ("NCCL_NTHREADS=100", "invalid-value"),
    ("NCCL_TOPO_FILE=/opt/t.xml", "situational"),
    ("NCCL_TOPO_FILE=", "redundant"),
    ("NCCL_MULTI_RANK_GPU_ENABLE=1", "situational"),
    ("NCCL_GIN_ENABLE=0", "situational"),
    ("NCCL_IB_WARN_RAIL_LOCAL=1", "ok"),
    ("NCCL_RUNTIME_CONNECT=0", "situational"),
    ("NCCL_IGNORE_CPU_AFFINITY=1", "situational"),
    ("NCCL_IB_PCI_RELAXED_ORDERING=1", "situational"),
    ("NCCL_IB_AR_THRESHOLD=0", "situational"),
    ("NCCL_GDRCOPY_ENABLE=1", "situational"),
    ("NCCL_COLLNET_NODE_THRESHOLD=4", "ok"),
    ("FI_EFA_USE_DEVICE_RDMA=1", "redundant"),
    ("FI_EFA_FORK_SAFE=1", "situational"),
    ("OFI_NCCL_PROTOCOL=RDMA", "situational"),
    ("OFI_NCCL_GDR_FLUSH_DISABLE=1", "situational"),
    ("NCCL_FASTRAK_IFNAME=eth1,eth2", "situational"),
    ("NCCL_FASTRAK_CTRL_DEV=eth0", "situational"),
    ("NCCL_GPUDIRECTTCPX_CTRL_DEV=eth0", "situational"),
    ("SHARP_COLL_LOCK_ON_COMM_INIT=1", "situational"),
    ("SHARP_COLL_ENABLE_SAT=1", "situational"),
    ("UCX_TLS=rc", "situational"),
    ("RCCL_MSCCL_FORCE_ENABLE=1", "situational"),
    ("RDMAV_FORK_SAFE=1", "situational"),
    ("NCCL_TESTS_MIN_BW=100", "ok"),
    ("NCCL_BLOCKING_WAIT=1", "deprecated"),
    ("TORCH_NCCL_BLOCKING_WAIT=1", "situational"),
    ("NCCL_INSPECTOR_ENABLE=1", "situational"),
    ("NCCL_TUNER_CONFIG_FILE=/etc/rules.csv", "situational"),
    ("SHARP_COLLNET_OVERLAP_AG=1", "situational"),
    ("NCCL_IBEXT_DISABLE=1", "situational"),
    ("NCCL_GPUDIRECTTCPX_SOCKET_IFNAME=eth1", "situational"),
    ("NCCL_DEBUG_SUBSYS=ALL", "situational"),
    ("NCCL_DEBUG_SUBSYS=INIT,COLL", "situational"),
    ("NCCL_DEBUG_SUBSYS=CALL", "situational"),
    ("NCCL_DEBUG_SUBSYS=INIT,NETT", "invalid-value"),
    ("NCCL_DEBUG_SUBSYS=ENV,INIT,BOOTSTRAP", "redundant"),
    ("NCCL_DEBUG_FILE=/tmp/nccl.log", "situational"),
]


@pytest.mark.parametrize(("setting", "nccl", "fabric", "expected"), VERSIONS)
def test_a_release_decides(setting: str, nccl: str, fabric: str, expected: str) -> None:
    assert verdict(setting, nccl, fabric) == expected


@pytest.mark.parametrize(("setting", "fabric", "expected"), FABRICS)
def test_the_network_decides(setting: str, fabric: str, expected: str) -> None:
    assert verdict(setting, "2.27", fabric) == expected


@pytest.mark.parametrize(("setting", "expected"), VALUES, ids=lambda value: str(value)[:40])
def test_the_value_decides(setting: str, expected: str) -> None:
    assert verdict(setting) == expected


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("NCLL_DEBUG", "NCCL_DEBUG"),
        ("NCCL_DEBGU", "NCCL_DEBUG"),
        ("NCCL_IB_TIME_OUT", "NCCL_IB_TIMEOUT"),
        ("NCCL_IB_QP_PER_CONNECTION", "NCCL_IB_QPS_PER_CONNECTION"),
        ("NCCL_SOCKET_IF_NAME", "NCCL_SOCKET_IFNAME"),
        ("NCC_ALGO", "NCCL_ALGO"),
    ],
)
def test_a_misspelt_name_brings_the_nearest(name: str, meant: str) -> None:
    found = verdicts(f"export {name}=1")[name]
    assert found.verdict == "unknown"
    assert meant in found.suggestion


def test_a_list_by_function_says_since_when() -> None:
    assert "since 2.24" in verdicts("NCCL_ALGO=allreduce:tree", "2.23")["NCCL_ALGO"].reason


def test_sizes_have_no_unit() -> None:
    assert "it reads 8" in verdicts("NCCL_BUFFSIZE=8M")["NCCL_BUFFSIZE"].reason


def test_small_letters_are_another_name() -> None:
    found = verdicts("export nccl_debug=INFO")["nccl_debug"]
    assert (found.verdict, "capitals" in found.reason) == ("unknown", True)


def test_an_unknown_algorithm_before_and_since_2_24() -> None:
    before = verdicts("NCCL_ALGO=Ring,Treering", "2.23")["NCCL_ALGO"]
    since = verdicts("NCCL_ALGO=Ring,Treering", "2.24")["NCCL_ALGO"]
    assert before.verdict == since.verdict == "invalid-value"
    assert "takes Ring alone" in before.reason
    assert "silence" in before.reason
    assert "ncclInvalidUsage" in since.reason
    assert "Tree" in since.suggestion


def test_a_removed_and_a_later_variable_say_when() -> None:
    assert "removed after 2.4.8" in verdicts("NCCL_LL_THRESHOLD=0")["NCCL_LL_THRESHOLD"].reason
    later = verdicts("NCCL_NETDEVS_POLICY=ALL", "2.20")["NCCL_NETDEVS_POLICY"]
    assert "unknown before 2.28" in later.reason


def test_every_source_is_a_reference_and_every_finding_has_words() -> None:
    text = "\n".join(setting for setting, *_ in [*SHEETS, *VALUES, *FABRICS, *VERSIONS])
    for fabric in (None, *nccl_tables().fabrics):
        for finding in verdicts(text, None, fabric).values():
            assert finding.source in references()
            assert finding.reason
            assert finding.suggestion or finding.verdict in ("ok", "situational"), finding


def _candidates(variable: NcclVariable, row: NcclAdvice) -> list[str]:
    words = [word for cell in variable.allowed.split(";") for word in cell.split("|")]
    numbers = [str(number) for number in (*range(9), 22, 31, 64, 160, 8192, 1 << 20)]
    special = ["efa", "x", "=mlx5_0", "mlx5_0", "10.0.0.0/8", "eth0", "/tmp/x", "/tmp/%p"]
    some = [row.operand, *row.operand.split("|"), *words, *numbers, *special]
    return [
        *some,
        *(f"^{word}" for word in words),
        *map(",".join, itertools.combinations(words, 2)),
    ]


def _speaks(row: NcclAdvice) -> bool:
    kind, _, what = row.subject.rpartition(":")
    variables = [
        variable
        for variable in nccl_tables().variables.values()
        if what == (getattr(variable, kind) if kind else variable.name)
    ]
    tags = set(row.fabrics.split())
    networks = [fabric for fabric in nccl_tables().fabrics.values() if fabric.words & tags]
    networks += [fabric for name, fabric in nccl_tables().fabrics.items() if name in tags]
    cases = itertools.product(
        dict.fromkeys((row.since or "2.30", "2.30", "2.20", "2.19", "2.16", "2.8", "2.4", "2.0")),
        networks or [None, *nccl_tables().fabrics.values()],
        variables,
    )
    return any(
        row.reason in judge(variable.name, value, 1, Context(version_of(nccl), fabric)).reason
        for nccl, fabric, variable in cases
        for value in _candidates(variable, row)
    )


def test_every_row_of_advice_can_speak() -> None:
    """A row that another always hides would be a judgement that nobody hears."""
    assert [row for row in nccl_tables().advice if not _speaks(row)] == []


@pytest.mark.parametrize(
    "row", [row for row in nccl_tables().owners if row.whole], ids=lambda row: row.prefix
)
def test_a_name_of_others_is_told_as_theirs(row: NcclOwner) -> None:
    """NCCL_VERSION, NCCL_HOME and kin are read by builds and plug-ins, and are no misspelling."""
    found = verdicts(f"export {row.prefix}=2.27.3-1")[row.prefix]
    first = next(each for each in nccl_tables().owners if each.prefix == row.prefix)
    assert (found.verdict, found.reason) == (first.verdict, first.reason)
    assert found.verdict in ("ok", "situational", "deprecated")


def test_only_the_whole_name_is_that_of_others() -> None:
    assert verdict("NCCL_VERSION=2.27.3") == "ok"
    assert verdict("NCCL_VERSIONS=2.27.3") == "unknown"
    assert verdict("NCCL_HOMES=/usr") == "unknown"


ALGORITHMS = [
    ("allreduce:ring;broadcast:tree", "2.24", ""),
    ("allreduce:tree,ring", "2.24", ""),
    ("ring;allreduce:tree", "2.24", ""),
    ("allreduce:collnetdirect,collnetchain", "2.24", ""),
    ("ALLREDUCE:Ring;BROADCAST:Tree", "2.27", ""),
    ("allreduce:^ring;allgather:^nvls", "2.27", ""),
    ("^tree", "2.20", ""),
    ("^tree", "2.27", ""),
    ("^Tree,Ring", "2.27", ""),
    ("allreduce:ring;broadcast:tree", "2.23", "a form that NCCL has since 2.24"),
    ("allreduce:ring;tree", "2.24", "without a function after the first"),
    ("alreduce:ring", "2.24", "names no function 'alreduce'"),
    ("allreduce:ringg", "2.24", "names no algorithm 'ringg'"),
    ("^treering", "2.24", "names no algorithm 'treering'"),
    ("allreduce:", "2.24", "an empty place"),
]


@pytest.mark.parametrize(("value", "nccl", "wrong"), ALGORITHMS)
def test_forms_of_lists_of_algorithms(value: str, nccl: str, wrong: str) -> None:
    found = verdicts(f"export NCCL_ALGO='{value}'", nccl)["NCCL_ALGO"]
    assert found.value == value
    assert (found.verdict == "invalid-value") == bool(wrong), found
    assert wrong in found.reason


def test_a_list_that_shuts_tree_out_is_read_as_what_is_left() -> None:
    found = verdicts("NCCL_COLLNET_ENABLE=1\nNCCL_ALGO=^collnetdirect,collnetchain,nvls,nvlstree")
    assert found["NCCL_COLLNET_ENABLE"].verdict == "harmful"
    kept = verdicts("NCCL_COLLNET_ENABLE=1\nNCCL_ALGO=^tree")
    assert kept["NCCL_COLLNET_ENABLE"].verdict != "harmful"


def test_a_name_that_may_be_newer_than_the_table_says_so() -> None:
    later = verdicts("NCCL_SOMETHING_NEW=1", "2.31")["NCCL_SOMETHING_NEW"]
    assert later.verdict == "unknown"
    assert "newer than this table (2.30.7)?" in later.reason
    assert "manual of NCCL 2.31" in later.suggestion
    for nccl in ("2.30.7", "2.30", "2.27", None):
        known = verdicts("NCCL_SOMETHING_NEW=1", nccl)["NCCL_SOMETHING_NEW"]
        assert "newer" not in known.reason
    misspelt = verdicts("NCCL_IB_HCAS=mlx5_0", "2.31")["NCCL_IB_HCAS"]
    assert "NCCL_IB_HCA was probably meant" in misspelt.suggestion
    small = verdicts("export nccl_debug=INFO", "2.31")["nccl_debug"]
    assert "capitals" in small.reason
    never = verdicts("NCCL_IB_HCA_COMPAT=1", "2.31")["NCCL_IB_HCA_COMPAT"]
    assert never.verdict == "unknown"


@pytest.mark.parametrize(
    ("cloud", "fabric", "words"),
    [
        ("aws", "efa", "AWS is taken as EFA"),
        ("gcp", "gib", "gcp-a3-mega has tcpxo and gcp-a3-high has tcpx"),
        ("Google", "gib", "Google is taken as gIB"),
        ("azure", "infiniband", "Microsoft is taken as InfiniBand"),
        ("OCI", "roce", "Oracle is taken as RoCEv2"),
    ],
)
def test_a_cloud_is_a_network(cloud: str, fabric: str, words: str) -> None:
    assert fabric_named(cloud).id == fabric
    assert words in cloud_note(cloud)
    assert cloud_note(fabric) == ""


def test_verdicts_follow_the_network_of_a_cloud() -> None:
    assert verdict("NCCL_NET=IB", None, "aws") == "harmful"
    assert verdict("NCCL_NET=IB", None, "gcp") == "harmful"
    assert verdict("NCCL_NET=IB", None, "azure") == "situational"
    assert verdict("NCCL_NET=IB", None, "oci") == "situational"
