"""Cost of owning, of a run, and of waiting."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.economics.bom import BillOfMaterials
from netdesign.economics.cost import (
    breakeven,
    breakeven_loss,
    capital_recovery_factor,
    cost,
    energy_usd_per_year,
    network_wait_usd_per_day,
    owning_usd_per_hour,
    two_tier_cost_per_gpu,
)

# The course lesson's stated assumptions: radix 64, switch $80,000 and 1,600 W, NIC $2,500 and
# 25 W, ends $250 / $600 and 12 W; 5 years at 10 %, maintenance 10 %, PUE 1.25, $0.08/kWh.
DOLLARS = {"radix": 64, "switch": 80_000, "nic": 2_500, "access_end": 250, "uplink_end": 600}
WATTS = {"radix": 64, "switch": 1_600, "nic": 25, "access_end": 12, "uplink_end": 12}


@pytest.mark.parametrize(
    ("taper", "dollars"), [(1, 7950), (2, 6100), (4, 5175), (7, 4779), (16, 4481)]
)
def test_dollars_per_gpu_of_the_lesson(taper, dollars):
    assert two_tier_cost_per_gpu(taper, **DOLLARS) == pytest.approx(dollars, abs=0.5)


@pytest.mark.parametrize(("taper", "watts"), [(1, 148.0), (2, 111.0), (4, 92.5), (7, 84.6)])
def test_watts_per_gpu_of_the_lesson(taper, watts):
    assert two_tier_cost_per_gpu(taper, **WATTS) == pytest.approx(watts, abs=0.05)


@pytest.mark.parametrize(("taper", "hourly"), [(1, 0.345), (7, 0.207)])
def test_hourly_cost_of_the_lesson(taper, hourly):
    energy = energy_usd_per_year(two_tier_cost_per_gpu(taper, **WATTS), 1.25, 0.08)
    capex = two_tier_cost_per_gpu(taper, **DOLLARS)
    assert owning_usd_per_hour(capex, energy, 0.10, 5, 0.10) == pytest.approx(hourly, abs=6e-4)


def test_capital_recovery():
    assert capital_recovery_factor(0.10, 5) == pytest.approx(0.2638, abs=5e-5)
    assert capital_recovery_factor(0.0, 5) == pytest.approx(0.2)
    assert capital_recovery_factor(1e-7, 5) == pytest.approx(0.2, rel=1e-5)
    assert capital_recovery_factor(np.array([0.0, 0.1]), 5) == pytest.approx(
        [0.2, 0.2638], abs=5e-5
    )


@given(rate=st.floats(0, 0.5), years=st.floats(0.5, 20), more=st.floats(0, 0.5))
@settings(deadline=None)
def test_capital_recovery_laws(rate, years, more):
    factor = capital_recovery_factor(rate, years)
    assert factor >= 1 / years * (1 - 1e-6)
    assert factor >= rate
    assert capital_recovery_factor(rate + more, years) >= factor * (1 - 1e-6)
    assert capital_recovery_factor(rate, years + 1) <= factor * (1 + 1e-6)


def test_a_hundred_thousand_gpus_draw_1_59_terawatt_hours():
    # SemiAnalysis 2024: 150 MW of IT, 1.59 TWh and $124 M a year: PUE 1.21 and $0.078/kWh.
    assert energy_usd_per_year(150e6, 1.21, 0.078) == pytest.approx(124e6, rel=0.01)


# 256 GPUs rented for a day, by price of a GPU-hour.
@pytest.mark.parametrize(
    ("price", "usd"), [(1.70, 10.4e3), (2.35, 14.4e3), (2.95, 18.1e3), (6.88, 42.3e3), (12, 73.7e3)]
)
def test_rent_of_256_gpus_for_a_day(price, usd):
    assert network_wait_usd_per_day(256, price, 1.0) == pytest.approx(usd, abs=60)


def test_ten_percent_of_the_articles_rent_is_its_waste():
    # Claim A25: a tenth of $80-120k a day is $8-12k; the rent is $13.0 to $19.5 a GPU-hour.
    assert network_wait_usd_per_day(256, 13.02, 0.1) == pytest.approx(8_000, rel=1e-3)
    assert network_wait_usd_per_day(256, 19.53, 0.1) == pytest.approx(12_000, rel=1e-3)


def test_a_cheaper_fabric_pays_below_its_share_of_the_discount():
    # 12 % share, 40 % discount: 4.8 %. A loss of 1.1 % end to end pays, one of 7 % does not.
    assert breakeven_loss(0.12, 0.40) == pytest.approx(0.048)
    assert breakeven(0.12, 0.40, 0.011)
    assert not breakeven(0.12, 0.40, 0.07)


BILL = BillOfMaterials(
    rows=(),
    price_book="test",
    total_usd=1_050_000.0,
    network_usd=100_000.0,
    total_power_w=40_000.0,
    network_power_w=4_000.0,
    unpriced=(),
    unmetered=(),
    facility_usd=50_000.0,
)
RUN = {
    "gpus": 32,
    "step_time_s": 2.0,
    "tokens_per_step": 1e6,
    "token_budget": 1e10,
    "network_exposed_s": 0.5,
    "rental_usd_per_gpu_hour": 2.0,
    "pue": 1.25,
    "usd_per_kwh": 0.08,
    "amortisation_years": 5,
    "interest_rate": 0.0,
    "operations_share": 0.1,
}


def test_cost_by_hand():
    result = cost(BILL, **RUN)
    energy = 40 * 1.25 * 0.08 * 8760  # 35,040 a year
    per_hour = (1_050_000 * 0.3 + energy) / 8760  # 40.0 an hour for 32 GPUs
    assert result.energy_usd_per_year == pytest.approx(35_040)
    assert result.usd_per_gpu_hour == pytest.approx(per_hour / 32)
    assert result.usd_per_step == pytest.approx(per_hour * 2 / 3600)
    assert result.usd_per_million_tokens == pytest.approx(per_hour * 2 / 3600)
    assert result.training_days == pytest.approx(10_000 * 2 / 86_400)
    assert result.training_gpu_hours == pytest.approx(32 * 10_000 * 2 / 3600)
    assert result.training_usd == pytest.approx(result.training_gpu_hours * result.usd_per_gpu_hour)
    assert result.network_share == pytest.approx(0.1)  # of the equipment, the facility left out
    assert result.network_wait_usd_per_day == pytest.approx(32 * 2.0 * 24 * 0.25)
    assert result.complete


def test_a_missing_price_makes_the_cost_incomplete():
    assert not cost(dataclasses.replace(BILL, unpriced=("QM9700",)), **RUN).complete
    nothing = dataclasses.replace(BILL, total_usd=0.0, network_usd=0.0, facility_usd=0.0)
    assert cost(nothing, **RUN).network_share == 0


def test_cost_of_arrays_equals_loops():
    steps = np.array([1.0, 2.0, 4.0])
    together = cost(BILL, **{**RUN, "step_time_s": steps})
    for place, step in enumerate(steps):
        alone = cost(BILL, **{**RUN, "step_time_s": float(step)})
        for name in ("usd_per_step", "training_usd", "training_days", "network_wait_usd_per_day"):
            assert getattr(together, name)[place] == pytest.approx(getattr(alone, name))


@settings(deadline=None)
@given(slower=st.floats(1, 10), dearer=st.floats(1, 10))
def test_slower_steps_and_dearer_parts_never_cost_less(slower, dearer):
    base = cost(BILL, **RUN)
    slow = cost(BILL, **{**RUN, "step_time_s": 2.0 * slower})
    assert slow.training_usd >= base.training_usd
    dear = cost(dataclasses.replace(BILL, total_usd=BILL.total_usd * dearer), **RUN)
    assert dear.usd_per_gpu_hour >= base.usd_per_gpu_hour


# Share of the network in the equipment by tiers, from the public H100 sheet: 4.6 % in one tier,
# about 10 % in two, 14.6 % in three.
@pytest.mark.parametrize(
    ("servers", "switches", "per_gpu", "share"),
    [(64, 8, 1320, 0.046), (1024, 384, 2560, 0.099), (8192, 5120, 3800, 0.146)],
)
def test_share_of_the_network_by_tiers(servers, switches, per_gpu, share):
    network = 36_000.0 * switches + per_gpu * 8 * servers
    bill = dataclasses.replace(
        BILL,
        network_usd=network,
        total_usd=network + 360_000.0 * servers,
        facility_usd=50_000.0 * servers,
    )
    assert cost(bill, **RUN).network_share == pytest.approx(share, abs=1e-3)
