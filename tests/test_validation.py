"""Tables of training runs become predictions that can be scored; a flat MFU stands beside them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_rows import published_row, table_text

from netdesign.catalog import load_catalog
from netdesign.errors import DesignError
from netdesign.performance.calibration import calibration_for
from netdesign.performance.measurements import (
    MeasuredRun,
    measured_runs,
    run_batches,
    scope_of,
)
from netdesign.validation import rows as rows_module
from netdesign.validation.rows import MOST_ROWS, NEEDED, USED, Candidate, read_run_table
from netdesign.validation.scores import (
    ALL_CUTS,
    CUTS,
    group_errors,
    parallel_style,
    published,
    rules_left_out,
    score,
    score_table,
)
from netdesign.validation.unseen import unseen_errors, unseen_runs
from netdesign.validation.words import run_words, said_by

# llm-foundry, scripts/train/benchmarking/README.md, H100 80GB BF16, MPT-70b on 512 GPUs: 4,096
# sequences of 2,048 a step; its throughput makes 16.2685 s of it.
MPT_70B = {
    "id": "mpt", "source": "MosaicML llm-foundry training benchmarks", "model": "MPT-70b",
    "layers": "80", "hidden": "8192", "ffn": "32768", "heads": "64", "kv_heads": "64",
    "vocab": "50368", "seq_len": "2048", "gated_ffn": "no", "accelerator": "H100", "gpus": "512",
    "tp": "1", "pp": "1", "dp": "512", "zero_stage": "3", "micro_batch": "8",
    "global_batch_seqs": "4096", "precision": "BF16", "recompute": "full",
    "flash_attention": "yes", "step_time_s": "16.2685",
}  # fmt: skip


def one(**changes: str) -> Candidate:
    table = read_run_table(table_text([{**MPT_70B, **changes}]))
    assert table.skipped == ()
    return table.candidates[0]


def why_not(**changes: str) -> str:
    table = read_run_table(table_text([{**MPT_70B, **changes}]))
    assert table.candidates == ()
    return table.skipped[0][1]


def test_a_published_row_is_read_as_its_source_means_it() -> None:
    run = one().run
    assert (run.accelerator, run.sharding, run.software) == ("h100-sxm", "fsdp", "composer-fsdp")
    assert (run.norm, run.head_dim, run.domain_gpus, run.transport) == (
        "layer",
        128,
        8,
        "infiniband",
    )
    assert one().measured == pytest.approx(16.2685)
    assert one().unknown == ("gpus_per_node", "nic_gbps_per_gpu", "fabric")


def test_a_published_run_is_predicted_within_its_band() -> None:
    scores = score([one()])
    assert scores.low[0] <= 16.2685 <= scores.high[0]
    assert bool(scores.inside[0])
    assert bool(scores.fits_memory[0])


def test_tokens_per_second_stand_for_a_step_time() -> None:
    # the source prints 1,007 tokens a second and GPU for this run
    measured = one(step_time_s="", tokens_per_s_per_gpu="1007").measured
    assert measured == pytest.approx(4096 * 2048 / (1007 * 512))
    assert one(step_time_s="").measured is None


def test_a_blank_cell_is_told_and_something_stands_for_it() -> None:
    bare = one(tp="", pp="", dp="", recompute="", flash_attention="", kv_heads="", precision="")
    assert {"tp", "pp", "recompute", "flash_attention", "kv_heads", "precision"} <= set(
        bare.unknown
    )
    run = bare.run
    assert (run.tensor, run.pipeline, run.data, run.kv_heads) == (1, 1, 512, 64)
    assert (run.precision, run.recompute, run.flash_attention) == ("bf16", None, True)


@pytest.mark.parametrize("column", NEEDED)
def test_a_row_without_what_is_needed_is_skipped_by_name(column: str) -> None:
    assert why_not(**{column: ""}) == f"{column} blank"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gpus": "500", "dp": "512"}, "tp x pp x cp x dp is 512, but there are 500 gpus"),
        ({"gpus": "1024", "dp": "512"}, "tp x pp x cp x dp is 512, but there are 1,024 gpus"),
        ({"layers": "-3"}, "layers is not a whole number from 1 to 100,000: -3"),
        ({"layers": "8.5"}, "layers is not a whole number"),
        ({"hidden": "nan"}, "hidden is not a whole number"),
        ({"hidden": "1e400"}, "hidden is not a whole number"),
        ({"hidden": "9" * 30}, "hidden is not a whole number"),
        ({"hidden": "wide"}, "hidden is not a number: 'wide'"),
        ({"step_time_s": "inf"}, "step_time_s is not above 0 and finite"),
        ({"step_time_s": "0"}, "step_time_s is not above 0 and finite"),
        ({"nic_gbps_per_gpu": "-1"}, "nic_gbps_per_gpu is not above 0"),
        ({"global_batch_seqs": "16"}, "less than dp x micro_batch, 4,096"),
        ({"pp": "128", "dp": "4"}, "pp 128 is more than the 80 layers"),
        ({"moe_experts": "8"}, "moe_topk is blank"),
        ({"kv_heads": "65"}, "kv_heads is more than heads"),
        ({"accelerator": "abacus"}, "the accelerator 'abacus' is of no known kind"),
        ({"precision": "octal"}, "the precision 'octal' is of no known kind"),
        ({"accelerator": "A100", "precision": "FP8"}, "has no fp8 units"),
        ({"precision": "NVFP4"}, "its precision is not modelled"),
        ({"model": "MPT LoRA"}, "it trains adapters only"),
        ({"notes": "optimizer offload"}, "its states are offloaded"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_predicted_says_why(changes: dict[str, str], reason: str) -> None:
    assert reason in why_not(**changes)


def test_a_row_with_too_many_cells_is_skipped() -> None:
    text = table_text([MPT_70B]).rstrip() + ",1,2\r\n"
    assert "more than the first row has columns" in read_run_table(text).skipped[0][1]


def test_missing_columns_are_named_and_needed_ones_refused() -> None:
    table = read_run_table(table_text([MPT_70B], NEEDED))
    assert set(table.missing) == set(USED) - set(NEEDED)
    assert len(table.candidates) == 1
    with pytest.raises(DesignError, match="has no column layers, gpus"):
        read_run_table(table_text([MPT_70B], [c for c in NEEDED if c not in ("layers", "gpus")]))
    with pytest.raises(DesignError, match="stands twice"):
        read_run_table(",".join([*NEEDED, "gpus"]) + "\n")


def test_a_table_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_ROWS >= 10_000
    monkeypatch.setattr(rows_module, "MOST_ROWS", 3)
    with pytest.raises(DesignError, match="has too many rows; give at most 3"):
        read_run_table(table_text([MPT_70B] * 4))


CELLS = st.one_of(
    st.sampled_from(
        ["", "0", "-1", "1e9", "1e300", "nan", "inf", "8", "=1+1", "yes", "\x07", "1_0"]
    ),
    st.text(max_size=12),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(USED), CELLS, max_size=4), min_size=1, max_size=5))
def test_every_row_is_predicted_or_skipped_whatever_it_holds(
    changes: list[dict[str, str]],
) -> None:
    rows = [{**MPT_70B, **change} for change in changes]
    try:
        table = read_run_table(table_text(rows))
    except DesignError:
        return  # no CSV at all
    assert len(table.candidates) + len(table.skipped) == len(rows)
    kept, scores = score_table(table)
    assert len(kept.candidates) + len(kept.skipped) == len(rows)
    assert np.isfinite(scores.predicted).all()
    assert (scores.predicted > 0).all()


def test_numbers_beyond_any_machine_are_skipped() -> None:
    huge = {"gpus": "1000000000", "dp": "1000000000", "global_batch_seqs": "1000000000",
            "micro_batch": "1", "layers": "100000", "hidden": "1000000", "ffn": "10000000",
            "heads": "100000", "kv_heads": "", "seq_len": "1000000000"}  # fmt: skip
    text = table_text([{**MPT_70B, **huge}, MPT_70B])
    table, scores = score_table(read_run_table(text))
    assert len(table.candidates) + len(table.skipped) == 2
    assert (scores.predicted > 0).all()
    assert table.candidates[-1].run.layers == 80


def test_a_year_is_not_needed() -> None:
    assert one(year="May 2024").run.year == one(year="").run.year
    assert one(year="2024").run.year == 2024


def test_the_order_of_rows_does_not_matter() -> None:
    runs = [Candidate(run, run.step_time_s) for run in list(measured_runs().values())[::9]]
    forward, backward = score(runs), score(runs[::-1])
    assert backward.predicted[::-1] == pytest.approx(forward.predicted, rel=1e-12)
    assert (backward.fits_memory[::-1] == forward.fits_memory).all()


@pytest.mark.parametrize("place", range(0, 500, 71))
def test_a_prediction_is_the_models_own(place: int) -> None:
    scores = published()
    run = scores.candidates[place].run
    calibration = calibration_for(scope_of(run))
    (batch,) = run_batches([run], calibration)
    step = batch.step(calibration)
    assert scores.predicted[place] == pytest.approx(float(step.step_time_s[0]), rel=1e-9)
    assert scores.high[place] == pytest.approx(float(step.step_time_high_s[0]), rel=1e-9)


def _rules_alone(run: MeasuredRun) -> dict[str, str]:
    return {**published_row(run), "id": f"own-{run.id}"}


def test_a_table_of_unknown_ids_is_predicted_as_well_as_the_known_runs() -> None:
    runs = [run for run in measured_runs().values() if not run.left_out]
    known = score(read_run_table(table_text(map(published_row, runs))).candidates)
    own = score(read_run_table(table_text(map(_rules_alone, runs))).candidates)
    assert known.predicted == pytest.approx(published().predicted, rel=1e-9)
    # words and shapes alone: what differs is what no column of the layout says
    ratio = own.predicted / known.predicted
    assert np.mean(np.abs(ratio - 1) < 0.01) > 0.85
    assert group_errors(own, "all")[0].median < group_errors(known, "all")[0].median + 0.01


def test_known_shapes_bring_what_no_column_says() -> None:
    deepseek = next(run for run in measured_runs().values() if run.kv_rank and run.layers == 61)
    table = read_run_table(table_text([_rules_alone(deepseek)]))
    run = table.candidates[0].run
    assert (run.kv_rank, run.query_rank, run.shared_experts, run.dense_layers) == (512, 1536, 1, 3)
    shallow = {**_rules_alone(deepseek), "layers": "3", "pp": "1", "dp": "", "tp": "1", "ep": "1"}
    assert read_run_table(table_text([shallow])).candidates[0].run.dense_layers <= 2


def test_a_run_that_was_measured_did_fit() -> None:
    scores = published()
    assert np.mean(scores.fits_memory[scores.scored]) >= 0.98


def test_the_flat_mfu_is_the_best_one_in_hindsight() -> None:
    scores = published()
    kinds = [(c.run.accelerator, c.run.precision in ("fp8", "mxfp8")) for c in scores.candidates]
    for kind, (mfu, runs) in scores.mfus.items():
        own = np.array([k == kind for k in kinds])
        assert runs == own.sum()
        reached = mfu * scores.flat[own] / scores.measured[own]
        best = np.median(np.abs(reached / mfu - 1))
        for other in reached:
            assert np.median(np.abs(reached / other - 1)) >= best - 1e-12


def test_few_runs_are_held_against_the_published_flat_mfu() -> None:
    alone, beside = score([one()]), score([one()], published())
    assert alone.flat_error[0] == pytest.approx(0)
    assert beside.mfus["h100-sxm", False] == published().mfus["h100-sxm", False]
    assert abs(beside.flat_error[0]) > 0.01


@pytest.mark.parametrize("cut", ALL_CUTS)
def test_groups_of_a_cut_hold_every_scored_run_once(cut: str) -> None:
    scores = published()
    groups = group_errors(scores, cut)
    assert sum(group.rows for group in groups) == scores.scored.sum()
    assert all(group.median <= group.percentile_90 for group in groups)


def test_left_out_runs_are_predicted_but_not_scored() -> None:
    row = {**MPT_70B, "accelerator": "V100", "precision": "FP16", "notes": "varies +-40% between"}
    scores = score(read_run_table(table_text([row])).candidates)
    assert scores.candidates[0].left_out == "speed-varies-by-forty-percent"
    assert np.isfinite(scores.predicted[0])
    assert not scores.scored[0]
    assert group_errors(scores, "all") == []


def test_every_rule_that_leaves_runs_out_is_known_to_the_words() -> None:
    told = {word.value for word in run_words() if word.field == "left_out"}
    assert set(rules_left_out()) <= told


def test_words_are_patterns_with_a_source() -> None:
    for word in run_words():
        re.compile(word.pattern)
        assert word.source in load_catalog().references
    assert said_by({"accelerator": "A100-80GB"})["accelerator"] == "a100-sxm"
    assert said_by({"accelerator": "A100 40 GB"})["accelerator"] == "a100-sxm-40gb"
    assert said_by({"notes": "FSDP group 64 x DP 2"})["shard_group"] == "64"


def test_stored_errors_of_unseen_sources_are_of_known_runs() -> None:
    stored = unseen_runs()
    assert set(stored) <= set(measured_runs())
    runs = [candidate.run for candidate in published().candidates]
    errors = unseen_errors(runs)
    assert np.isfinite(errors).sum() == len(stored)
    if len(stored) == len(runs):
        whole = group_errors(published(), "all")[0]
        assert whole.unseen_median == pytest.approx(float(np.median(np.abs(errors))))


def test_without_a_stored_fit_nothing_is_said_of_unseen_sources() -> None:
    scores = score(published().candidates)
    assert group_errors(scores, "all")[0].unseen_median is None


def test_styles_and_cuts_name_every_run() -> None:
    styles = {parallel_style(run) for run in measured_runs().values()}
    assert styles == {"experts", "FSDP", "pipeline", "tensor", "data"}
    assert list(CUTS) == ["source", "accelerator", "style"]
