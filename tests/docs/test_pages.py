# SPDX-License-Identifier: Apache-2.0
"""Tables follow their numbers, and a page that was changed by hand is found."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path += [str(ROOT / "bench"), str(ROOT / "bench/suite"), str(ROOT / "bench/micro")]
import goals  # noqa: E402
import pages  # noqa: E402
import store  # noqa: E402
import tables  # noqa: E402

ORIGIN = {"version": "0.1.0", "commit": "0123456789abcdef", "compiler": "g++ 12", "flags": "-O3", "processor": "a processor", "cores": 2,
          "system": "Linux", "date": "2026-01-01"}
PAGE = "before\n<!-- table: one 0 -->\nold\n<!-- end of table -->\nafter\n"
STAMP = "<sub>Numbers: [one.json](one.json). Repose 0.1.0, commit 0123456789ab, 2026-01-01, g++ 12, a processor (2 cores).</sub>\n"


def structure(ms, solved=12, prototype=1.0):
    return {"scene": "arch-25", "event": "rest", "start": "cold", "tolerance": 1e-10, "solved": solved, "solves": 12, "ms_median": ms,
            "prototype_ms": prototype, "aim_ms": 0.3}


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def filled(self, **changes):
        document = {"provenance": ORIGIN, "complete": True, "quick": False, "tables": [{"columns": ["a", "b"], "text": [["1", "2"]]}]}
        (self.root / "one.json").write_text(json.dumps(document | changes), encoding="utf-8")
        return tables.filled(PAGE, self.root, self.root / "page.md")

    def test_table_and_stamp_come_from_the_file(self):
        text = self.filled()
        self.assertEqual("before\n<!-- table: one 0 -->\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n" + STAMP + "<!-- end of table -->\nafter\n", text)
        self.assertEqual(text, tables.filled(text, self.root, self.root / "page.md"))

    def test_runs_that_do_not_count_are_refused(self):
        for changes in ({"quick": True}, {"provenance": {**ORIGIN, "flags": ""}}):
            with self.assertRaises(SystemExit):
                self.filled(**changes)
        (self.root / "one.json").unlink()
        with self.assertRaises(SystemExit):
            tables.filled(PAGE, self.root, self.root / "page.md")

    def test_a_run_that_was_stopped_is_marked(self):
        self.assertIn("**incomplete**: the run was stopped after 1 rows.</sub>", self.filled(complete=False))

    def test_a_page_changed_by_hand_is_found(self):
        page = self.root / "page.md"
        page.write_text(self.filled(), encoding="utf-8")
        self.assertEqual([], list(pages.differences([(page, self.filled())])))
        page.write_text(self.filled().replace("| 1 |", "| 0.9 |"), encoding="utf-8")
        found = "\n".join(pages.differences([(page, self.filled())]))
        self.assertIn("-| 0.9 | 2 |", found)
        self.assertIn("+| 1 | 2 |", found)

    def test_goals_name_the_commits_of_their_files(self):
        for name, commit in (("structures", "a" * 40), ("scaling", "b" * 40), ("public", "a" * 40)):
            document = {"provenance": {**ORIGIN, "commit": commit}, "tables": []}
            (self.root / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
        text = tables.filled("<!-- table: goals 0 -->\n<!-- end of table -->", self.root, self.root / "page.md")
        self.assertIn(f"commit {'a' * 12} ([structures.json](structures.json), [public.json](public.json)); commit {'b' * 12} (", text)
        self.assertNotIn("| yes |", text)

    def test_least_kernel_time_counts_and_the_host_is_left_out(self):
        runs = [{"name": f"judge/arch/repeats:2", "run_type": "iteration", "iterations": 9, "cpu_time": t, "time_unit": unit, "contacts": 10.0,
                 "per_contact": 1.0} for t, unit in ((2.0, "us"), (1500.0, "ns"))]
        runs.append({"name": "judge/arch_mean", "run_type": "aggregate", "cpu_time": 1.0, "time_unit": "ns"})
        stored = store.numbers({"context": {"host_name": "mine", "provenance": json.dumps(ORIGIN)}, "benchmarks": runs})
        self.assertNotIn("mine", json.dumps(stored))
        self.assertEqual(ORIGIN, stored["provenance"])
        self.assertEqual([["judge", "150"]], tables.micro_table(stored, 0)["text"])
        self.assertEqual([["judge", "1.5"]], tables.micro_table(stored, 1)["text"])


class Goals(unittest.TestCase):
    def verdicts(self, *rows):
        documents = dict.fromkeys(goals.SOURCES) | {"structures": {"tables": [{"rows": rows}]}}
        return {row[0]: row[1:3] for row in goals.table(documents)["text"]}

    def test_verdicts_follow_from_the_rows(self):
        said = self.verdicts(structure(0.2), structure(0.25))
        self.assertEqual(["24 of 24", "yes"], said["structures: every step solved to 1e-10"])
        self.assertEqual(["2 of 2 cases", "yes"], said["… with medians at most the prototype's"])
        self.assertEqual(["2 of 2 cases", "yes"], said["… at rest with medians at most the aim"])

    def test_what_misses_a_goal_is_named(self):
        said = self.verdicts(structure(0.2), structure(2.0, solved=11))
        self.assertEqual(["23 of 24; not: arch-25 rest cold: 11 of 12", "no"], said["structures: every step solved to 1e-10"])
        self.assertEqual(["1 of 2 cases; not: arch-25 rest cold 2 ms against 1", "no"], said["… with medians at most the prototype's"])

    def test_a_run_that_was_stopped_has_no_verdict(self):
        documents = dict.fromkeys(goals.SOURCES) | {"structures": {"complete": False, "tables": [{"rows": [structure(0.2)]}]}}
        self.assertEqual(["the run was stopped before its end", "–"], goals.table(documents)["text"][0][1:3])

    def test_what_was_not_measured_has_no_verdict(self):
        said = self.verdicts(structure(0.2))
        self.assertEqual(["not measured", "–"], said["public problems: all solved to 1e-8 within 10 s"])

    def poured(self, **changes):
        row = {"scene": "mixed-128", "tolerance": 1e-8, "complete": True, "steps": 6000, "solved": 6000, "within_1e-4": 6000,
               "ms_median": 3.0, "ms_mean": 9.0, "ms_p99": 50.0, "ms_max": 400.0, "overlap": 0.01}
        documents = dict.fromkeys(goals.SOURCES) | {"pour": {"tables": [{"rows": [row | changes]}]}}
        said = {line[0]: line[1:3] for line in goals.table(documents)["text"]}
        return next(said[goal] for goal in said if goal.startswith("128 mixed")), said["no overlap deeper than 2 % of the thinner body"]

    def test_a_poured_row_keeps_every_limit_or_is_named(self):
        told = "median ms 3; mean ms 9; p99 ms 50; worst ms 400"
        self.assertEqual((["6000 of 6000 steps; " + told, "yes"], ["at most 1 %", "yes"]), self.poured())
        said, overlap = self.poured(solved=5999, ms_mean=11.0, overlap=0.13)
        self.assertEqual("no", said[1])
        self.assertTrue(said[0].endswith("; not: mixed-128 at 1e-8: 5999 of 6000 steps; mean ms 11, goal 10"), said[0])
        self.assertEqual(["at most 13 %; not: mixed-128 at 1e-8 13 %", "no"], overlap)

    def test_a_partial_row_misses_its_goal(self):
        said, _ = self.poured(complete=False, steps=94, solved=94)
        self.assertEqual("no", said[1])
        self.assertIn("mixed-128 at 1e-8: stopped after 94 steps", said[0])

    def test_ratios_need_both(self):
        row = {"scene": "cubes-300", "complete": True, "steps": 9, "solved": 9, "overlap": 0}
        rows = [row | {"tolerance": 1e-8, "mujoco": {"elliptic": {"ratio_mean": 0.1}}}, row | {"tolerance": 1e-4}]
        documents = dict.fromkeys(goals.SOURCES) | {"pour": {"tables": [{"rows": rows}]}}
        said = {line[0]: line[1:3] for line in goals.table(documents)["text"]}
        self.assertEqual(["MuJoCo was not measured", "–"], next(said[goal] for goal in said if goal.startswith("300 cubes")))


if __name__ == "__main__":
    unittest.main()
