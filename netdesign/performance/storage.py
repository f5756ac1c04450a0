"""How large is a checkpoint, how fast must it be written, and what does training read?"""

from __future__ import annotations

from functools import cache

from netdesign.arrays import Numeric
from netdesign.catalog.library import data_directory
from netdesign.catalog.tables import Count, Name, Positive, Row, keyed_rows
from netdesign.formulas import formula
from netdesign.units import gigabytes_to_bytes

CHECKPOINT_BYTES = "checkpoint-bytes"


class GuidelineRow(Row):
    """Storage bandwidth that a vendor advises for so many GPUs."""

    level: Name  # good | better | best
    gpus: Count
    read_gbytes_per_s: Positive
    write_gbytes_per_s: Positive

    @property
    def read_bandwidth(self) -> float:
        """Bytes/s of all clients together."""
        return gigabytes_to_bytes(self.read_gbytes_per_s)

    @property
    def write_bandwidth(self) -> float:
        """Bytes/s of all clients together."""
        return gigabytes_to_bytes(self.write_gbytes_per_s)


@cache
def guideline() -> dict[str, GuidelineRow]:
    """Rows of storage_guideline.csv by level and GPUs, as "better 256"."""
    return keyed_rows(data_directory() / "storage_guideline.csv", GuidelineRow, ("level", "gpus"))


@formula(latex=r"S = b\,P", source="mlperf-storage")
def checkpoint_bytes(parameters: Numeric, bytes_per_parameter: Numeric = 14) -> Numeric:
    """Size of a checkpoint.

    Parameters
    ----------
    parameters : float or array             all of them, of every expert
    bytes_per_parameter : float or array    14: bf16 weights (2), their fp32 master copy (4) and
                                            two moments of Adam (8); 16 with bf16 gradients; 2 for
                                            weights alone

    Returns
    -------
    float or array, bytes
    """
    return bytes_per_parameter * parameters


@formula(latex=r"w = \frac{S}{B}", source="fabric-economics")
def blocking_write_time(size: Numeric, bandwidth: Numeric) -> Numeric:
    """Time that training stops for a checkpoint that it waits for.

    Parameters
    ----------
    size : float or array, bytes
    bandwidth : float or array, bytes/s     of all writers together

    Returns
    -------
    float or array, s
    """
    return size / bandwidth


@formula(latex=r"B \ge \frac{S}{f\,\Delta t}", source="fabric-economics")
def write_bandwidth_needed(
    size: Numeric, interval: Numeric, interval_share: Numeric = 1.0
) -> Numeric:
    """Bandwidth that writes a checkpoint in a share of the time between two.

    Parameters
    ----------
    size : float or array, bytes
    interval : float or array, s                time between two checkpoints
    interval_share : float or array, 0 to 1     of it in which the write must be done; 1 where it
                                                runs beside training until the next

    Returns
    -------
    float or array, bytes/s
    """
    return size / (interval_share * interval)


@formula(latex=r"B = 2\,P\,d + 12\,P", source="megascale-2024")
def restart_read_bytes(parameters: Numeric, replicas: Numeric) -> Numeric:
    """Bytes read when every replica loads the weights itself and each rank its optimizer part.

    Parameters
    ----------
    parameters : float or array
    replicas : int or array, >= 1       1 where one replica reads and the others get a broadcast

    Returns
    -------
    float or array, bytes
    """
    return 2 * parameters * replicas + 12 * parameters


@formula(latex=r"B = b\,r", source="fabric-economics")
def ingest_bandwidth(tokens_per_s: Numeric, bytes_per_token: Numeric = 4) -> Numeric:
    """Bandwidth at which a language model reads its tokens.

    Parameters
    ----------
    tokens_per_s : float or array           of the whole job
    bytes_per_token : float or array        4, or 2 for a vocabulary of up to 65,536

    Returns
    -------
    float or array, bytes/s
    """
    return bytes_per_token * tokens_per_s
