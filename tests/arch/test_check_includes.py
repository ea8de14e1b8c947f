# SPDX-License-Identifier: Apache-2.0
"""The include check must fail where it should: small trees with one fault each."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from check_includes import check  # noqa: E402

PAGE = """# A page
| not | this table |
|---|---|
| `repose/base` | `repose/set` |

<!-- include arrows -->
| folder | may include |
|---|---|
| `repose/base` | |
| `repose/set` | `repose/base` |
| `apps/shared` | `repose/base` |
| `apps` | `repose/base`, `repose/set`, `apps/shared` |
| `bench` | `repose/base`, `apps/shared` |
"""


class CheckIncludes(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {"docs/architecture.md": PAGE, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return check(root)

    def test_allowed_arrows_pass(self):
        self.assertEqual([], self.faults({
            "repose/set/a.h": '#include <cmath>\n#include "repose/base/b.h"\n#include "repose/set/c.h"\n',
            "repose/base/b.cpp": '#include <Eigen/Core>\n#include "repose/base/b_internal.h"\n',
            "repose/base/b_internal.h": "#include <hdf5.h>\n",
            "apps/cli/main.cpp": '#include "repose/set/a.h"\n'}))

    def test_wrong_arrow_is_named_with_its_line(self):
        self.assertEqual(["repose/base/b.h:2: arrow repose/base -> repose/set is not in the table"],
                         self.faults({"repose/base/b.h": '#pragma once\n#include "repose/set/a.h"\n'}))

    def test_arrow_into_an_application_fails(self):
        self.assertIn("repose/set -> apps", self.faults({"repose/set/a.cpp": '#include "apps/cli/x.h"\n'})[0])

    def test_a_subfolder_may_have_a_row_of_its_own(self):
        self.assertEqual([], self.faults({"bench/a.cpp": '#include "apps/shared/x.h"\n',
                                          "apps/cli/a.cpp": '#include "apps/shared/x.h"\n'}))
        self.assertEqual(["bench/a.cpp:1: arrow bench -> apps is not in the table"],
                         self.faults({"bench/a.cpp": '#include "apps/cli/x.h"\n'}))
        self.assertEqual(["apps/shared/x.h:1: arrow apps/shared -> apps is not in the table"],
                         self.faults({"apps/shared/x.h": '#include "apps/cli/a.h"\n'}))

    def test_folder_without_a_row_fails(self):
        self.assertIn("no folder repose/new", self.faults({"apps/a.cpp": '#include "repose/new/x.h"\n'})[0])
        self.assertIn("no row for folder repose/new", self.faults({"repose/new/x.h": '#include "repose/base/b.h"\n'})[0])

    def test_relative_include_fails(self):
        self.assertIn("repository root", self.faults({"repose/base/b.cpp": '#include "b.h"\n'})[0])
        self.assertIn("repository root", self.faults({"repose/base/b.cpp": '#include "../cone/a.h"\n'})[0])

    def test_public_header_may_not_show_outside_libraries(self):
        self.assertIn("shows Eigen/Dense", self.faults({"repose/base/b.h": "#include <Eigen/Dense>\n"})[0])
        self.assertIn("shows hdf5.h", self.faults({"repose/base/b.h": "#include <hdf5.h>\n"})[0])
        self.assertIn("b_internal.h", self.faults({"repose/base/b.h": '#include "repose/base/b_internal.h"\n'})[0])


if __name__ == "__main__":
    unittest.main()
