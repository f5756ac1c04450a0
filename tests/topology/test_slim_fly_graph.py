"""Slim fly graphs and the finite fields they are built over."""

from __future__ import annotations

import numpy as np
import pytest

from netdesign.errors import DesignError
from netdesign.topology.galois import galois_field, prime_power
from netdesign.topology.slim_fly import build_slim_fly, degree, generators, size_slim_fly
from netdesign.topology.spec import FabricSpec

BUILDABLE = (3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 25, 27)


def slim_fly(**given):
    return FabricSpec("slim-fly", **given)


@pytest.mark.parametrize("q", BUILDABLE)
def test_every_router_is_two_links_from_every_other(q):
    fabric = build_slim_fly(slim_fly(q=q, p=1))
    between = fabric.kind > 0
    a, b = fabric.a[between] - fabric.hosts, fabric.b[between] - fabric.hosts
    near = np.eye(fabric.switches, dtype=np.float32)
    near[a, b] = near[b, a] = 1
    assert near.sum() == fabric.switches + 2 * len(a), "no link twice"
    assert set(near.sum(axis=1) - 1) == {degree(q)}
    assert not near.all()
    assert (near @ near > 0).all()


@pytest.mark.parametrize("q", BUILDABLE)
def test_field_has_inverses_and_distributes(q):
    field = galois_field(q)
    element = np.arange(q)
    sums, products = (
        operation(element[:, None], element[None, :]) for operation in (field.add, field.multiply)
    )
    for table, rows in ((sums, element), (products[1:, 1:], element[1:])):
        assert all(sorted(row) == list(rows) for row in table.tolist()), "each element once a row"
        assert (table == table.T).all()
    a, b, c = element[:, None, None], element[None, :, None], element[None, None, :]
    left = field.multiply(a, field.add(b, c))
    assert (left == field.add(field.multiply(a, b), field.multiply(a, c))).all()


@pytest.mark.parametrize("q", BUILDABLE)
def test_generator_sets_are_closed_under_negation_and_leave_out_zero(q):
    field = galois_field(q)
    for found in generators(field):
        members = set(found.tolist())
        assert len(members) == degree(q) - q
        assert 0 not in members
        negative = {next(n for n in range(q) if field.add(x, n) == 0) for x in members}
        assert negative == members


def test_prime_powers():
    found = [q for q in range(2, 33) if prime_power(q)]
    assert found == [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]
    assert prime_power(243) == (3, 5)
    assert prime_power(1) is None
    with pytest.raises(ValueError, match="no field of 6"):
        galois_field(6)


def test_size_that_is_no_prime_power_is_counted_and_not_built():
    spec = slim_fly(q=28, radix=64)
    counts = size_slim_fly(spec)
    assert not counts.buildable
    assert counts.reason == (
        "q = 28 is not a prime power, so no such graph exists; q = 27 (30,618 endpoints) and "
        "q = 29 (35,322 endpoints) can be built with 64-port switches."
    )
    with pytest.raises(DesignError, match="q: 28 cannot be built; q = 28 is not a prime power"):
        build_slim_fly(spec)


# DeepSeek-V3 (zhao-2025-isca): a price of two kinds of cable fits 11,760 electrical links, those
# inside a group of 2q routers, and 21,168 optical ones.
def test_links_inside_and_between_groups():
    counts = size_slim_fly(slim_fly(q=28, radix=64))
    assert dict(counts.links) == {"host": 32928, "local": 11760, "global": 21168}


@pytest.mark.parametrize("q", [2, 6, 30, 10**9, 0, -5])
def test_sizes_that_do_not_exist_are_one_sentence(q):
    with pytest.raises(DesignError, match=r"^q: [^\n]+; [^\n]+$"):
        size_slim_fly(slim_fly(q=q))


@pytest.mark.parametrize("radix", [6, 11, 17, 36, 40, 64, 128, 144])
def test_largest_is_the_best_of_all_sizes(radix):
    def holds(q):
        return 2 * q * q * min(-(-degree(q) // 2), radix - degree(q))

    sizes = [q for q in range(3, radix) if prime_power(q) and degree(q) < radix]
    largest = max(holds(q) for q in sizes)
    counts = size_slim_fly(slim_fly(radix=radix))
    assert counts.endpoints == counts.largest == largest
    more = size_slim_fly(slim_fly(radix=radix, endpoints=largest + 1))
    assert not more.buildable
    assert f"ends at {largest:,} endpoints" in more.reason


def test_endpoints_alone_choose_the_smallest_size_that_can_be_built():
    counts = size_slim_fly(slim_fly(endpoints=32_928, radix=64))
    assert counts.total_switches == 2 * 29**2
    assert counts.buildable
    assert counts.notes[0].startswith("q = 29, the smallest")
