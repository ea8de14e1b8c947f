// SPDX-License-Identifier: Apache-2.0
#include "repose/export/export.h"

#include "repose/base/error.h"

namespace repose::exporter {

const std::vector<std::string>& export_endings() {
  static const std::vector<std::string> endings{".html", ".glb", ".usda", ".npz", ".csv", ".vtkhdf"};
  return endings;
}

void export_recording(const Recording& recording, const std::vector<const Recording*>& others,
                      const std::filesystem::path& file, Forces forces) {
  const std::string ending = file.extension().string();
  if (ending == ".html") {
    std::vector<const Recording*> all{&recording};
    all.insert(all.end(), others.begin(), others.end());
    return export_html(all, file, forces);
  }
  require(others.empty(), "export: expected with .html only, got a second recording for '", ending, "'");
  if (ending == ".csv") return export_csv(recording, file);
  if (ending == ".npz") return export_npz(recording, file, forces);
  if (ending == ".glb") return export_glb(recording, file);
  if (ending == ".usda") return export_usda(recording, file);
  if (ending == ".vtkhdf") return export_vtkhdf(recording, file);
  fail("export: expected .html, .glb, .usda, .npz, .csv, .vtkhdf, got the ending '", ending, "'");
}

}  // namespace repose::exporter
