"""Write the frozen specifications: ``python -m netdesign.charts.freeze``."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

from netdesign.charts import NAMES

SPECS = Path(__file__).resolve().parent / "specs"


def frozen(name: str) -> str:
    """The specification of one chart as its file holds it."""
    chart = import_module(f"netdesign.charts.{name}").build()
    return json.dumps(chart.to_dict(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> None:
    SPECS.mkdir(exist_ok=True)
    for name in NAMES:
        (SPECS / f"{name}.json").write_text(frozen(name), encoding="utf-8")
        print(f"specs/{name}.json")


if __name__ == "__main__":
    main()
