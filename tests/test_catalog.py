"""What data/ says, against published values."""

import csv
import subprocess
import sys

import pytest

from netdesign.catalog import data_directory, load_catalog
from netdesign.errors import DesignError


@pytest.fixture(scope="module")
def catalog():
    return load_catalog()


def test_it_is_read_once():
    assert load_catalog() is load_catalog()


def test_nvlink_is_one_direction(catalog):
    # NVIDIA quotes 600, 900 and 1,800 GB/s as the sum of both directions.
    halves = {"a100-sxm": 300e9, "h100-sxm": 450e9, "b200-sxm": 900e9}
    for key, bandwidth in halves.items():
        assert catalog.accelerators[key].scaleup_bandwidth == bandwidth


def test_h100_in_si_units(catalog):
    h100 = catalog.accelerators["h100-sxm"]
    assert h100.memory_bytes == 80e9
    assert h100.memory_bandwidth == 3.35e12
    assert h100.peak_flops() == 989e12
    assert h100.peak_flops("fp8") == 1979e12


def test_a_missing_precision_says_what_to_use(catalog):
    a100 = catalog.accelerators["a100-sxm"]
    with pytest.raises(DesignError, match=r"precision: 'fp8' has no peak on the A100.*use bf16"):
        a100.peak_flops("fp8")
    with pytest.raises(DesignError, match="use bf16 or fp8"):
        a100.peak_flops("int3")


@pytest.mark.parametrize(
    ("server", "gbytes_per_gpu", "server_gbps"),
    [
        ("dgx-a100", 25, 1600),
        ("dgx-h100", 50, 3200),
        ("dgx-b300", 100, 6400),
        ("gb200-nvl72", 50, 72 * 400),
        ("aws-p5", 50, 3200),  # AWS: 3.2 Tb/s
        ("aws-p6-b300", 100, 6400),  # AWS: 6.4 Tb/s
        ("gcp-a3-mega", 25, 1600),
        ("gcp-a3-high", 12.5, 800),
    ],
)
def test_scale_out_bandwidth(catalog, server, gbytes_per_gpu, server_gbps):
    row = catalog.servers[server]
    assert row.network_bandwidth_per_gpu == pytest.approx(gbytes_per_gpu * 1e9)
    assert row.network_bandwidth == pytest.approx(server_gbps * 1e9 / 8)
    assert row.network_bandwidth == pytest.approx(row.network_bandwidth_per_gpu * row.gpus)


def test_every_accelerator_generation_can_be_bought_in_a_server(catalog):
    sold = {server.accelerator for server in catalog.servers.values()}
    assert {"a100-sxm", "h100-sxm", "h200-sxm", "b200-sxm", "b300-sxm", "gb200", "gb300"} <= sold
    assert {"mi300x", "mi355x"} <= sold


def test_radix_of_split_ports(catalog):
    sn5600, qm9700 = catalog.switches["sn5600"], catalog.switches["qm9700"]
    assert [sn5600.radix(speed) for speed in (800, 400, 200, 100)] == [64, 128, 256, 256]
    assert [qm9700.radix(speed) for speed in (None, 400, 200)] == [64, 64, 128]
    assert catalog.switches["q3400-ra"].radix(800) == 144


@pytest.mark.parametrize("speed", [0, -400, 800.5, 1600, float("nan")])
def test_a_speed_the_switch_lacks_is_refused(catalog, speed):
    with pytest.raises(DesignError, match="is not a speed of the SN5600; give at most 800"):
        catalog.switches["sn5600"].radix(speed)


def test_switch_bandwidth_is_what_vendors_print(catalog):
    # 25.6, 51.2 and 115.2 Tb/s in one direction.
    for key, terabits in {"qm9700": 25.6, "sn5600": 51.2, "q3400-ra": 115.2}.items():
        assert catalog.switches[key].bandwidth * 8 / 1e12 == pytest.approx(terabits)


def test_superpod_h100_optics(catalog):
    # DGX SuperPOD H100 RA-11333-001, 4 SU / 127 nodes: 2,040 cables, 1,536 switch and 508 DGX
    # twin-port modules. Eight leaves serve 31 servers (one port of a cage stays dark), 24 serve 32.
    medium = catalog.link_media["400g-sr4-twin"]
    server_links, spine_links = 127 * 8, 1024
    leaf_ports = [31] * 8 + [32] * 24

    def modules(links, ports):
        return -(-links // ports)

    access = sum(modules(ports, medium.switch_end_ports) for ports in leaf_ports)
    fabric = 2 * modules(spine_links, medium.switch_end_ports)
    assert (server_links + spine_links) // medium.cable_links == 2040
    assert access + fabric == 1536
    assert modules(server_links, medium.host_end_ports) == 508


def test_link_media_fit_their_parts(catalog):
    for medium in catalog.link_media.values():
        cable = catalog.cables[medium.cable_part]
        assert medium.cable_links == cable.links
        assert cable.reach_m is None or medium.reach_m <= cable.reach_m
        for end in filter(None, (medium.switch_end_part, medium.host_end_part)):
            part = catalog.transceivers[end]
            assert part.port_gbps == medium.port_gbps
            assert part.reach_m is None or medium.reach_m <= part.reach_m
            assert medium.kind == f"optics-{part.fibre}"
            assert cable.kind == f"fibre-{part.fibre}"


def test_copper_cannot_serve_two_rails_behind_one_cage(catalog):
    assert catalog.link_media["400g-sr4-twin"].suits_host(twin_port_cages=True)
    assert not catalog.link_media["400g-sr4-osfp"].suits_host(twin_port_cages=True)
    assert catalog.link_media["400g-dac-host"].suits_host(twin_port_cages=False)
    assert not catalog.link_media["400g-dac-host"].suits_host(twin_port_cages=True)
    assert not catalog.link_media["400g-dac-fabric"].suits_host(twin_port_cages=False)


@pytest.mark.parametrize("port_gbps", [100, 200, 400, 800])
def test_every_speed_can_be_cabled_to_servers_and_between_switches(catalog, port_gbps):
    media = [row for row in catalog.link_media.values() if row.port_gbps == port_gbps]
    assert any(row.serves("host") for row in media)
    assert any(row.serves("fabric") and row.reach_m >= 30 for row in media)


def test_every_server_has_a_medium_for_its_ports(catalog):
    for server in catalog.servers.values():
        assert any(
            row.port_gbps == server.port_gbps and row.suits_host(server.twin_port_cages)
            for row in catalog.link_media.values()
        ), server.id


def test_transports_against_their_sources(catalog):
    infiniband, hashed = catalog.transports["infiniband"], catalog.transports["roce-hashed"]
    # Zhao et al., ISCA'25, Table 5: 64 B, one leaf and across leaves.
    assert [infiniband.latency(tiers) for tiers in (1, 2)] == pytest.approx([2.8e-6, 3.7e-6])
    assert [hashed.latency(tiers) for tiers in (1, 2)] == pytest.approx([3.6e-6, 5.6e-6])
    # Tolly 225112 against 225107: ring all-reduce busbw of 64 GPUs, GB/s.
    assert hashed.balance_efficiency == pytest.approx(212.644 / 230.698, abs=5e-4)
    # Frames of 4,096 B: payload over payload and headers.
    assert hashed.framing_efficiency / infiniband.framing_efficiency == pytest.approx(
        0.986, abs=1e-3
    )
    assert infiniband.in_network_reduction
    assert not hashed.in_network_reduction


def dense_parameters(row):
    """Count weights, norms and biases of a row, an expression of its own for this test."""
    norm = row.hidden * (2 if row.norm == "layer" else 1)
    queries, keys = row.heads * row.head_dim, row.kv_heads * row.head_dim
    attention = row.hidden * (2 * queries + 2 * keys)
    attention += 0 if row.attention_bias == "none" else queries + 2 * keys
    attention += row.hidden if row.attention_bias == "all" else 0
    if row.kv_rank:
        head = row.nope_dim + row.rope_dim
        attention = (
            row.hidden * row.query_rank
            + row.query_rank * (1 + row.heads * head)
            + row.hidden * (row.kv_rank + row.rope_dim)
            + row.kv_rank * (1 + row.heads * (row.nope_dim + row.value_dim))
            + row.heads * row.value_dim * row.hidden
        )

    def block(width):
        matrices = 3 if row.gated_ffn else 2
        biases = (matrices - 1) * width + row.hidden if row.mlp_bias else 0
        return matrices * row.hidden * width + biases

    dense = row.dense_layers if row.experts else row.layers
    routed = (row.experts + row.shared_experts) * block(row.expert_ffn_hidden)
    router = row.experts * (row.hidden + (1 if row.router_bias else 0))
    embeddings = row.vocab * row.hidden * (1 if row.tied_embeddings else 2)
    return (
        embeddings
        + row.learned_positions * row.hidden
        + row.layers * (attention + 2 * norm)
        + dense * block(row.ffn_hidden)
        + (row.layers - dense) * (routed + router)
        + norm
    )


@pytest.mark.parametrize("key", list(load_catalog().models))
def test_architectures_give_the_published_count(catalog, key):
    row = catalog.models[key]
    difference = abs(dense_parameters(row) - row.published_parameters)
    assert difference < row.published_rounding


def test_exact_counts_of_the_papers(catalog):
    counts = {
        "llama-2-7b": 6_738_415_616,
        "llama-2-13b": 13_015_864_320,
        "llama-2-70b": 68_976_648_192,
        "llama-3-8b": 8_030_261_248,
        "llama-3-70b": 70_553_706_496,
        "llama-3.1-405b": 405_853_388_800,
        "mixtral-8x7b": 46_702_792_704,
        "deepseek-v3": 671_026_419_200,
    }
    for key, count in counts.items():
        assert catalog.models[key].published_parameters == count
        assert catalog.models[key].published_rounding == 1


@pytest.mark.parametrize(
    ("nodes", "layers", "total"),
    [
        # E. Cheah's spreadsheet, August 2024; the rows of 512 and 1,024 nodes there use 300,000
        # a node by mistake, here with the 310,000 of its own assumption.
        (64, 1, 24_003_840),
        (128, 2, 50_429_440),
        (256, 2, 100_858_880),
        (512, 2, 201_717_760),
        (1024, 2, 403_435_520),
        (8192, 3, 3_382_476_800),
    ],
)
def test_cheah_totals(catalog, nodes, layers, total):
    prices = catalog.price_book("cheah-2024").prices
    links = [prices[key].price_usd for key in ("link-access", "link-leaf-spine", "link-spine-core")]
    gpus = 8 * nodes
    switches = gpus // 64 * (2 * layers - 1)
    servers = prices["hgx-h100"].price_usd + prices["facility-per-server"].price_usd
    bill = nodes * servers + switches * prices["qm9700"].price_usd + gpus * sum(links[:layers])
    assert bill == total


def test_rail_only_costs(catalog):
    # Rail-only, Table II: 2,560 and 1,536 switches of 64 ports, 196,608 and 131,072 transceivers.
    prices = catalog.price_book("rail-only-2024").prices
    port, module = prices["switch-port-400"].price_usd, prices["transceiver-400"].price_usd
    assert 2560 * 64 * port + 196_608 * module == 152_829_952
    assert 1536 * 64 * port + 131_072 * module == 94_306_304


def test_the_default_bill_has_a_price_for_every_part(catalog):
    book = catalog.price_book("street-2026")
    medium = catalog.link_media["400g-sr4-twin"]
    parts = ["dgx-h100", "hgx-h100", "qm9700", medium.switch_end_part, medium.host_end_part]
    assert all(book.price(part) for part in [*parts, medium.cable_part])
    assert book.price("sn4600c") is None


def test_prices_name_source_date_and_book(catalog):
    for book in catalog.price_books.values():
        for price in book.prices.values():
            assert price.source in catalog.references
            assert price.date[:2] == "20"
            assert price.book == book.name


def test_unknown_names_offer_the_nearest(catalog):
    with pytest.raises(DesignError, match=r"cluster.server: 'dgx-h10' .*use one of dgx-h100"):
        catalog.servers.require("dgx-h10", "cluster.server")
    with pytest.raises(DesignError, match="use cheah-2024, rail-only-2024, street-2026"):
        catalog.price_book("mine")
    with pytest.raises(DesignError, match="add a row to calibration.csv"):
        catalog.calibration("no-such-constant", "hopper")


def test_rows_cannot_be_changed(catalog):
    with pytest.raises(ValueError, match="frozen"):
        catalog.servers["dgx-h100"].gpus = 9
    with pytest.raises(TypeError):
        catalog.price_book("cheah-2024").prices["qm9700"] = None


def test_references_have_title_year_and_place(catalog):
    for reference in catalog.references.values():
        assert reference.title
        assert 1950 < reference.year < 2030
        assert reference.where, reference.key


def test_every_data_table_is_rectangular():
    for path in data_directory().rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            widths = {len(cells) for cells in csv.reader(stream)}
        assert len(widths) == 1, path.name


def test_reading_the_catalogue_loads_nothing_heavy():
    script = (
        "import sys; import netdesign.catalog as c; c.load_catalog();"
        "print([m for m in ('openpyxl', 'pandas', 'altair', 'scipy', 'dask') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
