# SPDX-License-Identifier: Apache-2.0
"""The check of the stamps must fail where it should: small repositories with one fault each."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import check_stamps  # noqa: E402

GOOD = {"version": "0.1.0", "compiler": "g++ 12", "flags": "-O3", "processor": "a processor", "cores": 2, "system": "Linux",
        "date": "2026-01-01"}
PAGE = "# A page\n<!-- table: steps 0 -->\n| a |\n| --- |\n\n<sub>Numbers. Repose 0.1.0, commit {}, 2026-01-01.</sub>\n<!-- end of table -->\n"


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class CheckStamps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.git("init", "-q")
        self.commit = self.new_commit()

    def git(self, *arguments):
        named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *named, *arguments], cwd=self.root, capture_output=True, text=True, check=True).stdout.strip()

    def new_commit(self):
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")
        return self.git("rev-parse", "HEAD")

    def write(self, provenance, shown):
        for name, text in {"bench/results/steps.json": json.dumps({"provenance": provenance}), "docs/page.md": PAGE.format(shown)}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def foreign(self, commit, shown):
        self.write({**GOOD, "commit": commit}, shown)
        return list(check_stamps.foreign(self.root))

    def test_commits_of_the_history_pass(self):
        self.assertTrue(check_stamps.has_history(self.root))
        self.assertEqual([], self.foreign(self.commit, self.commit[:12]))
        self.new_commit()
        self.assertEqual([], self.foreign(self.commit, self.commit[:12]))
        self.assertEqual([], [*check_stamps.incomplete(self.root), *check_stamps.unstamped(self.root)])

    def test_commit_of_another_branch_fails(self):
        self.git("checkout", "-q", "-b", "other")
        other = self.new_commit()
        self.git("checkout", "-q", "-")
        self.assertEqual([f"bench/results/steps.json: commit: expected one of the history, got {other}",
                          f"docs/page.md:6: commit: expected one of the history, got {other[:12]}"], self.foreign(other, other[:12]))

    def test_commit_that_is_nowhere_fails(self):
        self.assertEqual(2, len(self.foreign("f" * 40, "f" * 12)))

    def test_uncommitted_sources_fail(self):
        self.assertEqual(2, len(self.foreign(self.commit + "-dirty", self.commit[:12] + "-dirty")))
        self.assertEqual(2, len(self.foreign("unknown", "unknown")))

    def test_numbers_without_their_origin_fail(self):
        self.write({**GOOD, "commit": self.commit, "flags": ""}, self.commit)
        self.assertIn("got none of flags", next(check_stamps.incomplete(self.root)))
        self.write({}, self.commit)
        self.assertIn("got none of version, commit", next(check_stamps.incomplete(self.root)))

    def test_table_without_a_stamp_fails(self):
        self.write({**GOOD, "commit": self.commit}, "")
        self.assertEqual(["docs/page.md:2: table: steps 0: expected a stamp with a commit, got none"], list(check_stamps.unstamped(self.root)))

    def test_archive_has_no_history(self):
        shutil.rmtree(self.root / ".git")
        self.assertFalse(check_stamps.has_history(self.root))


if __name__ == "__main__":
    unittest.main()
