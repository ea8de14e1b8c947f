// SPDX-License-Identifier: Apache-2.0
// The options of the scheme in the documentation are those of the library's table, and the program has all of them.
#include <algorithm>
#include <sstream>

#include "repose/scheme/scheme_options.h"
#include "tests/cli/program.h"
#include "tests/support/generated_section.h"

namespace repose::testing {
namespace {

std::string flag_of(const SchemeOption& option) {
  std::string flag = "--" + option.name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

/// `a`, `b`
std::string quoted(const std::vector<std::string>& words) {
  std::ostringstream text;
  for (std::size_t k = 0; k < words.size(); ++k) text << (k > 0 ? ", `" : "`") << words[k] << '`';
  return text.str();
}

TEST(SchemeDocs, ThePageHasTheTable) {
  std::ostringstream page;
  page << "| option | in Python | default | allowed | of | meaning |\n|---|---|---|---|---|---|\n";
  for (const SchemeOption& o : scheme_options())
    page << "| `" << flag_of(o) << "` | `" << o.name << "` | " << (o.value.empty() ? o.otherwise : quoted({o.value}))
         << " | " << (o.type == "choice" ? quoted(o.choices) : o.range()) << " | "
         << (o.schemes.empty() ? "every scheme" : quoted(o.schemes)) << " | " << o.help << " |\n";
  expect_section(REPOSE_SOURCE_DIR "/docs/cli.md", "scheme options", page.str());
}

TEST(SchemeDocs, HelpHasEveryOption) {
  for (const char* command : {"run", "solve", "view"}) {
    const std::string help = run_well({command, "--help"}).out;
    for (const SchemeOption& option : scheme_options())
      EXPECT_NE(help.find("\n  " + flag_of(option) + " "), help.npos) << command << ' ' << flag_of(option);
  }
}

}  // namespace
}  // namespace repose::testing
