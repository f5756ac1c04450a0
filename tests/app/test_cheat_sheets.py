"""The table of a checked NCCL environment in a notebook: complete, and every text escaped."""

from __future__ import annotations

import json
import re

from netdesign.app.cheat_sheets import OwnSheet, check_sheet
from netdesign.app.serving.pages import notebooks_folder

NAMED = (
    "NCCL_NET=IB", "NCCL_IB_HCA=mlx5_0:1,mlx5_1:1", "NCCL_SOCKET_NTHREADS", "NCCL_NSOCKS_PERTHREAD",
    "NCCL_ALGO=Ring\n", "NCCL_ALGO=Ring,Treering", "NCCL_PROTO=LL\n", "NCCL_PROTO=LL,Simple",
    "NCCL_IB_TIMEOUT=22", "NCCL_IB_RETRY_CNT=7", "NCCL_IB_QPS_PER_CONNECTION=8",
    "NCCL_IB_SPLIT_DATA_ON_QPS=1", "NCCL_IB_SL", "NCCL_IB_GID_INDEX=3", "NCCL_IB_TC=160",
    "NCCL_MAX_NCHANNELS", "NCCL_MIN_NCHANNELS", "NCCL_TOPO_DUMP_FILE", "NCCL_IB_DISABLE",
    "NCCL_IB_HCA_COMPAT",
)  # fmt: skip


def test_a_row_for_every_finding_and_nothing_runs() -> None:
    html = check_sheet("NCCL_ALGO='<b onclick=alert(1)>'\nNCCL_DEBUG=INFO\n")._repr_html_()
    assert html.count("<tr>") == 3
    assert "<b onclick" not in html
    assert "&lt;b " in html
    assert "<strong>invalid-value</strong>" in html


def test_the_release_and_the_network_are_in_the_caption() -> None:
    html = check_sheet("NCCL_DEBUG=INFO", "2.27", "efa")._repr_html_()
    assert "<caption>NCCL 2.27, EFA with aws-ofi-nccl</caption>" in html


def test_the_notebook_checks_every_setting_of_the_sheets() -> None:
    notebook = json.loads((notebooks_folder() / "cheat_sheets.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    text = "\n".join(cells)
    assert [setting for setting in NAMED if setting not in text] == []
    assert len(re.findall(r"^check_sheet\(", text, re.MULTILINE)) >= 6


def test_ones_own_settings_are_judged_as_they_are_typed() -> None:
    sheet = OwnSheet("export NCCL_DEBUG=INFO\n")
    assert "<strong>" not in sheet.verdicts.value
    sheet.text.value = "export NCCL_IB_HCA_COMPAT=1\n"
    assert "<strong>unknown</strong>" in sheet.verdicts.value
    sheet.fabric.value = "efa"
    assert "EFA" in sheet.verdicts.value
    sheet.release.value = "no release"
    assert 'role="alert"' in sheet.verdicts.value
    sheet.release.value = ""
    assert "<strong>unknown</strong>" in sheet.verdicts.value
