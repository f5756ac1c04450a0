"""Congestion and failures to hand on: a report in Markdown, the load of every link as CSV."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netdesign.congestion import Congestion
from netdesign.export.congestion import congestion_text
from netdesign.export.csv_cells import cells, csv_text
from netdesign.export.failure_plan import escaped
from netdesign.export.failure_record import failures_text
from netdesign.failures import Outcome
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names, port_names

COLUMNS = ("link", "kind", "from", "from_port", "to", "to_port", "gbps", "load_share", "broken")


def link_loads_csv(
    fabric: Fabric,
    load: npt.NDArray[np.float64],
    broken: npt.NDArray[np.bool_] | None = None,
) -> str:
    """A row for each link: where it is and the share of its capacity in use, busier direction."""
    names = device_names(fabric)
    kinds = [fabric.kinds[number] for number in fabric.kind.tolist()]
    dead = np.zeros(fabric.links, dtype=bool) if broken is None else broken
    columns = [
        [str(number) for number in range(fabric.links)],
        [kind.name for kind in kinds],
        [names[device] for device in fabric.a.tolist()],
        port_names(fabric, fabric.a_slot, fabric.a).tolist(),
        [names[device] for device in fabric.b.tolist()],
        port_names(fabric, fabric.b_slot, fabric.b).tolist(),
        [f"{kind.gbps:g}" for kind in kinds],
        [f"{share:.4f}" for share in load.tolist()],
        ["yes" if gone else "no" for gone in dead.tolist()],
    ]
    return csv_text(COLUMNS, [cells(column) for column in columns])


def congestion_markdown(found: Congestion, outcome: Outcome | None, why: str, address: str) -> str:
    """A report to read: the sentence, the tables of the shell, and how to open the page again."""
    lines = [
        f"# Congestion and failures: {escaped(found.evaluation.design.name)}",
        "",
        escaped(why),
        "",
        "```",
        congestion_text(found),
        "```",
    ]
    if outcome is not None:
        said = failures_text(found.evaluation, [outcome], (), ())
        lines += ["", "## What is broken", "", "```", said, "```"]
    lines += ["", f"Open again: `congestion_and_failures.ipynb?{address}`", ""]
    return "\n".join(lines)
