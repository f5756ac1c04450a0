"""The pages of the workbook, in the order of the navigation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Page:
    """One door of the home page."""

    notebook: str
    label: str
    title: str
    reader: str
    text: str


PAGES = (
    Page(
        notebook="studio.ipynb",
        label="Studio",
        title="Design Studio",
        reader="For the planner",
        text=(
            "Drag model size, GPU count and oversubscription. See the demand on the network, the "
            "time of a step, every switch and cable, and the bill."
        ),
    ),
    Page(
        notebook="executive_summary.ipynb",
        label="Executive summary",
        title="Executive summary",
        reader="For the one who signs",
        text=(
            "One design on one page: what it is, what it costs, days to train, three risks, and "
            "two alternatives beside it."
        ),
    ),
    Page(
        notebook="topology_explorer.ipynb",
        label="Topologies",
        title="Topology explorer",
        reader="For the one who draws it",
        text=(
            "Choose a family and a size. See every port and tier, counts, cost and power beside "
            "rivals at the same size, where each runs out, and take the cable plan along."
        ),
    ),
    Page(
        notebook="ib_or_roce.ipynb",
        label="IB or RoCE",
        title="IB or RoCE?",
        reader="For the one who chooses",
        text=(
            "One design on two fabrics: step time, tokens for a dollar, power and latency side by "
            "side, from which size, balance and discount the other one wins, and what to set."
        ),
    ),
    Page(
        notebook="congestion_and_failures.ipynb",
        label="Congestion",
        title="Congestion and failures",
        reader="For the one who is called at night",
        text=(
            "Drag the taper and see which links run full and which collective waits for them. "
            "Break a cable, a leaf or a plane: step time, stranded GPUs, time kept."
        ),
    ),
    Page(
        notebook="audit.ipynb",
        label="Audit",
        title="Audit",
        reader="For the one who takes it over",
        text=(
            "Drop in benchmark logs and fabric dumps: what they say, what is sick, the curve "
            "against its band, the cables against the plan, and a report to hand on."
        ),
    ),
    Page(
        notebook="validation.ipynb",
        label="Validation",
        title="Validation",
        reader="For the one who doubts",
        text=(
            "Predictions held against published training runs and collectives, with the band, the "
            "errors by size, network and plan, and a naive line beside. Add your own runs."
        ),
    ),
    Page(
        notebook="lesson_01_one_slow_link.ipynb",
        label="Lesson 1",
        title="Lesson 1: why one slow link stops everyone",
        reader="For the student",
        text=(
            "Make a prediction, drag a slider, be surprised, and check yourself with two exercises."
        ),
    ),
    Page(
        notebook="cheat_sheets.ipynb",
        label="NCCL",
        title="NCCL cheat sheets, checked",
        reader="For the one who sets it up",
        text=(
            "Three lists of NCCL settings that are copied from script to script, each line with a "
            "verdict, and the few settings that a design has a reason for."
        ),
    ),
)


def notebooks_folder() -> Path:
    """Where the notebooks are: inside an installed package, beside it in a working copy."""
    inside = PACKAGE / "notebooks"
    return inside if inside.is_dir() else PACKAGE.parent / "notebooks"


def page_of(notebook: str) -> Page | None:
    """The page that a notebook's path stands for."""
    name = Path(notebook).name
    return next((page for page in PAGES if page.notebook == name), None)
