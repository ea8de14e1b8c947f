# SPDX-License-Identifier: Apache-2.0
"""The best setting of an engine: the rule of docs/peers/settings.md, clause by clause."""
from best import best, verdict

STANDS = {"scene": "arch-25", "ended": "done", "gives_way": None, "moved": 1e-2, "creep": 1e-4, "time": 10.0}
SLIDES = {"scene": "launched-cube", "ended": "done", "gives_way": None, "moved": 3.6, "creep": 0.0, "lift": 0.0, "time": 3.0,
          "closed_form": {"error": 1e-3, "unit": "m", "tilt": 0.0}}


def test_what_stands_comes_before_what_gives_way():
    falls = STANDS | {"gives_way": 9.0, "moved": 1e-5, "creep": 0.0}
    assert best([falls, STANDS]) is STANDS
    late = falls | {"gives_way": 9.5, "moved": 5.0}
    assert best([falls, late]) is late


def test_what_got_through_comes_before_what_the_budget_ended():
    short = STANDS | {"ended": "budget", "moved": 1e-6, "creep": 0.0}
    assert best([short, STANDS]) is STANDS


def test_displacement_and_ten_seconds_of_creep_decide():
    creeps = STANDS | {"moved": 9e-3, "creep": 3e-4}
    assert best([creeps, STANDS]) is STANDS  # 9 + 3 mm against 10 + 1
    slower = creeps | {"creep": 1e-4}
    assert best([slower, STANDS]) is slower


def test_sliding_is_judged_by_outcome_error_and_lift():
    lifts, tumbles = SLIDES | {"lift": 0.01}, SLIDES | {"closed_form": {"error": 0.0, "unit": "m", "tilt": 45.0}}
    assert [verdict(c) for c in (SLIDES, lifts, tumbles)] == ["flat", "lifts", "tumbles"]
    assert best([tumbles, lifts, SLIDES]) is SLIDES and best([tumbles, lifts]) is lifts
    nearer = SLIDES | {"lift": 1e-4, "closed_form": {"error": -5e-4, "unit": "m", "tilt": 0.0}}
    assert best([SLIDES, nearer]) is nearer


def test_there_is_none_of_what_did_not_run_or_only_moves():
    assert best([]) is None and best([{"scene": "arch-25", "ended": "missing", "why": "not installed"}]) is None
    assert best([STANDS | {"scene": "dominoes", "overlap": 0.1, "rise": 0.0}]) is None
