# SPDX-License-Identifier: Apache-2.0
"""bench/gpu/paper_table.py without a device: its scenes are those of the page, and what it keeps is what the page reads."""
import json
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(BENCH), str(BENCH / "gpu")]
import paper_table  # noqa: E402

ORIGIN = json.dumps({"provenance": {"version": "0.1.0", "commit": "unknown"}})


def row(engine="Repose", worlds=1, ms=2.0, device="cuda", **more):
    return json.dumps({"engine": engine, "scene": "card, 5 levels", "worlds": worlds, "steps": 600, "device": device, "ms_per_step": ms,
                       "moved": 0.38} | more)


def test_scenes_are_those_of_the_paper():
    published = json.loads((BENCH / "paper/published.json").read_text(encoding="utf-8"))
    assert list(paper_table.SCENES) == list(published["tab:perf-gpu"])


def test_the_last_row_of_a_kind_is_kept_with_its_origin():
    kept = paper_table.stored([ORIGIN, row(ms=3.0), "noise", row(ms=2.0), row(worlds=64)], commit="0123456789ab", note="a device")
    assert kept["provenance"] == {"version": "0.1.0", "commit": "0123456789ab", "note": "a device"}
    assert [(r["worlds"], r["ms_per_step"]) for r in kept["rows"]] == [(1, 2.0), (64, 2.0)]


def test_rows_of_a_processor_are_not_kept():
    with pytest.raises(SystemExit, match="rows of a device, got none"):
        paper_table.stored([ORIGIN, row(device="cpu")])


def test_the_page_says_what_was_not_measured():
    pytest.importorskip("matplotlib")
    from paper import catalogue  # noqa: F401
    from paper.performance import on_device

    rows = [json.loads(text) for text in (row(), row(worlds=64, ms=6.4, solved_share=1.0), row("Kamino", failed="no", ms=0))]
    assert on_device(rows, "Repose", "card, 5 levels") == "2 (moved 0.38 m); 6.4, 0.1 each of 64 worlds (moved 0.38 m, solved 100 %)"
    assert on_device(rows, "Kamino", "card, 5 levels") == "refused: no"
    assert on_device(rows, "MuJoCo-Warp", "card, 5 levels") == on_device(rows, "Repose", "arch, 25 stones") == "not measured"
