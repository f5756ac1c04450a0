"""What does it cost to own, per hour, per token, and per day of waiting for the network?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.economics.bom import BillOfMaterials
from netdesign.formulas import formula
from netdesign.units import (
    HOURS_PER_DAY,
    HOURS_PER_YEAR,
    SECONDS_PER_HOUR,
    seconds_to_days,
    watts_to_kilowatts,
)


@dataclass(frozen=True)
class Cost:
    capex_usd: Numeric
    network_capex_usd: Numeric
    network_share: (
        Numeric  # of the equipment without a facility; nan if servers or network have none priced
    )
    power_w: Numeric  # IT power
    energy_usd_per_year: Numeric
    usd_per_gpu_hour: Numeric  # owning: capital recovery, energy, operations
    usd_per_step: Numeric
    usd_per_million_tokens: Numeric
    training_usd: Numeric
    training_days: Numeric
    training_gpu_hours: Numeric
    network_wait_usd_per_day: Numeric  # GPU time spent on exposed network communication
    complete: bool  # False: some part has no price


@formula(latex=r"\mathrm{CRF} = \frac{r}{1-(1+r)^{-n}}", source="fabric-lesson")
def capital_recovery_factor(rate: Numeric, years: Numeric) -> Numeric:
    """Equal yearly payment that pays back a purchase with interest, as a share of it.

    Parameters
    ----------
    rate : float or array, 1/year, >= 0   0 gives 1 / years
    years : float or array, > 0

    Returns
    -------
    float or array, 1/year
    """
    interest = np.maximum(rate, 1e-9)
    recovered = interest / -np.expm1(-years * np.log1p(interest))
    factor: Numeric = np.where(np.greater(rate, 0), recovered, 1 / years)[()]
    return factor


@formula(
    latex=r"e = P\,\mathrm{PUE}\,c_{kWh}\cdot 8760\,\mathrm{h}",
    source="fabric-economics",
)
def energy_usd_per_year(power_w: Numeric, pue: Numeric, usd_per_kwh: Numeric) -> Numeric:
    """Price of the electricity of equipment that runs all year.

    Parameters
    ----------
    power_w : float or array, W             of the equipment
    pue : float or array, >= 1              power of the building over power of the equipment
    usd_per_kwh : float or array, USD/kWh

    Returns
    -------
    float or array, USD/year
    """
    return watts_to_kilowatts(power_w) * pue * usd_per_kwh * HOURS_PER_YEAR


@formula(
    latex=r"h = \frac{C\,\mathrm{CRF}(r,n) + e + m\,C}{8760\,\mathrm{h}}",
    source="fabric-economics",
)
def owning_usd_per_hour(
    capex_usd: Numeric,
    energy_usd_per_year: Numeric,
    interest_rate: Numeric,
    amortisation_years: Numeric,
    operations_share: Numeric,
) -> Numeric:
    """What a purchase costs in each hour: capital, energy and operations.

    Parameters
    ----------
    capex_usd : float or array, USD
    energy_usd_per_year : float or array, USD/year
    interest_rate : float or array, 1/year
    amortisation_years : float or array, years
    operations_share : float or array, 1/year    of the purchase

    Returns
    -------
    float or array, USD/h
    """
    yearly = capital_recovery_factor(interest_rate, amortisation_years) + operations_share
    return (capex_usd * yearly + energy_usd_per_year) / HOURS_PER_YEAR


@formula(latex=r"w = 24\,\mathrm{h}\cdot n\,p\,x", source="fabric-economics")
def network_wait_usd_per_day(
    gpus: Numeric, usd_per_gpu_hour: Numeric, network_exposed_share: Numeric
) -> Numeric:
    """Worth of the GPU time that a day of training spends waiting for the network.

    Parameters
    ----------
    gpus : int or array
    usd_per_gpu_hour : float or array, USD/h
    network_exposed_share : float or array, 0 to 1   of the step

    Returns
    -------
    float or array, USD/day
    """
    return gpus * usd_per_gpu_hour * HOURS_PER_DAY * network_exposed_share


@formula(latex=r"p < s\,d", source="fabric-economics")
def breakeven_loss(fabric_share: Numeric, discount: Numeric) -> Numeric:
    """End-to-end loss below which a cheaper fabric still gives more work for the money.

    Parameters
    ----------
    fabric_share : float or array, 0 to 1   of capex
    discount : float or array, 0 to 1       of the cheaper fabric

    Returns
    -------
    float or array, 1                       share of the throughput
    """
    return fabric_share * discount


def breakeven(fabric_share: Numeric, discount: Numeric, loss: Numeric) -> Numeric:
    """Whether the cheaper fabric wins at this end-to-end loss.

    Parameters
    ----------
    fabric_share : float or array, 0 to 1   of capex
    discount : float or array, 0 to 1       of the cheaper fabric
    loss : float or array, 0 to 1           share of the throughput that it loses

    Returns
    -------
    bool or array of bool
    """
    return np.less(loss, breakeven_loss(fabric_share, discount))


@formula(
    latex=r"c(o) = n + 2 k_s + \frac{S}{d} + \frac{1}{o}\left(2 k_\ell + \frac{S}{R}\right),"
    r"\quad d = \frac{R\,o}{o+1}",
    source="fabric-lesson",
)
def two_tier_cost_per_gpu(
    oversubscription: Numeric,
    radix: Numeric,
    switch: Numeric,
    nic: Numeric,
    access_end: Numeric,
    uplink_end: Numeric,
) -> Numeric:
    """Money, or power, of a two-tier fabric for each GPU port, ports taken as fractions.

    Parameters
    ----------
    oversubscription : float or array, > 0   downlinks over uplinks of a leaf
    radix : int or array                     ports of a switch
    switch : float or array, USD or W        of one switch
    nic : float or array, USD or W           of one adapter
    access_end : float or array, USD or W    of one end of a server link
    uplink_end : float or array, USD or W    of one end of a link between switches

    Returns
    -------
    float or array, USD or W
    """
    down = radix * oversubscription / (oversubscription + 1)
    uplink = 2 * uplink_end + switch / radix
    return nic + 2 * access_end + switch / down + uplink / oversubscription


def cost(
    bom: BillOfMaterials,
    *,
    gpus: Numeric,
    step_time_s: Numeric,
    tokens_per_step: Numeric,
    token_budget: Numeric,
    network_exposed_s: Numeric,
    rental_usd_per_gpu_hour: Numeric,
    pue: Numeric,
    usd_per_kwh: Numeric,
    amortisation_years: Numeric,
    interest_rate: Numeric,
    operations_share: Numeric,
) -> Cost:
    """Cost of owning the cluster and of the training run on it.

    Steps, tokens and the run are charged at the cost of owning, time lost to the network at what
    a GPU-hour is worth. With a part without a price owning is a lower bound, ``complete`` False.

    Parameters
    ----------
    bom : BillOfMaterials
    gpus : int or array
    step_time_s : float or array, s
    tokens_per_step : float or array
    token_budget : float or array                     tokens of the whole run
    network_exposed_s : float or array, s             of a step spent waiting for the network
    rental_usd_per_gpu_hour : float or array, USD/h
    pue : float or array
    usd_per_kwh : float or array, USD/kWh
    amortisation_years : float or array, years
    interest_rate : float or array, 1/year
    operations_share : float or array, 1/year         of the purchase
    """
    energy = energy_usd_per_year(bom.total_power_w, pue, usd_per_kwh)
    per_hour = owning_usd_per_hour(
        bom.total_usd, energy, interest_rate, amortisation_years, operations_share
    )
    per_step = per_hour * step_time_s / SECONDS_PER_HOUR
    steps = token_budget / tokens_per_step
    days = seconds_to_days(steps * step_time_s)
    return Cost(
        capex_usd=bom.total_usd,
        network_capex_usd=bom.network_usd,
        network_share=_network_share(bom),
        power_w=bom.total_power_w,
        energy_usd_per_year=energy,
        usd_per_gpu_hour=per_hour / gpus,
        usd_per_step=per_step,
        usd_per_million_tokens=per_step / tokens_per_step * 1e6,
        training_usd=per_step * steps,
        training_days=days,
        training_gpu_hours=days * HOURS_PER_DAY * gpus,
        network_wait_usd_per_day=network_wait_usd_per_day(
            gpus, rental_usd_per_gpu_hour, network_exposed_s / step_time_s
        ),
        complete=not bom.unpriced,
    )


def _network_share(bom: BillOfMaterials) -> float:
    """Network over equipment; not a number where one of the two has no price at all."""
    no_server = any(row.kind == "server" and row.unit_price_usd is None for row in bom.rows)
    no_network = bom.network_usd == 0 and any(
        row.network and row.unit_price_usd is None for row in bom.rows
    )
    if no_server or no_network:
        return math.nan
    return bom.network_usd / max(bom.total_usd - bom.facility_usd, 1e-9)
