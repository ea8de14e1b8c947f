// SPDX-License-Identifier: Apache-2.0
#include "repose/base/atomic_file.h"
#include "repose/base/error.h"
#include "repose/export/bundle.h"
#include "repose/export/chunk.h"
#include "repose/export/export.h"
#include "repose/export/page_data_internal.h"

namespace repose::exporter {
namespace {

/// Blocks one after the other as base64; each starts at a digit of its own, so that the page decodes it alone.
class Blocks {
 public:
  /// Place and length in characters.
  Json add(const std::string& block) {
    const std::size_t first = text_.size();
    text_ += base64(block);
    return {first, text_.size() - first};
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// "<" has no place inside a script element; JSON can say it otherwise.
std::string script_safe(const std::string& json) {
  std::string out;
  for (const char c : json) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

void append_run(std::string& out, const Recording& recording, Forces forces, std::size_t number) {
  constexpr int kLevel = 9;
  const RecordedPages pages(recording, forces);
  Blocks blocks;
  Json header = pages.header(), states = Json::array(), contacts = Json::array();
  const Json series = blocks.add(pages.series(kLevel));
  for (int k = 0; k < pages.chunks(); ++k) states.push_back(blocks.add(pages.states(k, kLevel)));
  for (int k = 0; k < pages.contact_chunks(); ++k) contacts.push_back(blocks.add(pages.contacts(k, kLevel)));
  header["blocks"] = Json{{"series", series}, {"states", states}, {"contacts", contacts}};
  const std::string id = std::to_string(number);
  out += "<script type=\"application/json\" id=\"repose-header-" + id + "\">" + script_safe(header.dump()) +
         "</script>\n<script type=\"application/octet-stream\" id=\"repose-blocks-" + id + "\">" + blocks.text() +
         "</script>\n";
}

}  // namespace

std::string html_of(const std::vector<const Recording*>& recordings, Forces forces) {
  const std::string_view whole = page();
  const std::size_t mark = whole.find(kDataMark);
  require(mark != std::string_view::npos, "viewer: expected the mark '", kDataMark, "' in the page, got none");
  std::string out(whole.substr(0, mark));
  for (std::size_t k = 0; k < recordings.size(); ++k) append_run(out, *recordings[k], forces, k);
  out += whole.substr(mark);
  return out;
}

void export_html(const std::vector<const Recording*>& recordings, const std::filesystem::path& file, Forces forces) {
  files::write_atomically(file, html_of(recordings, forces));
}

}  // namespace repose::exporter
