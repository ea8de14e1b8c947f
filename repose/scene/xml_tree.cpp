// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <pugixml.hpp>
#include <set>

#include "repose/base/error.h"
#include "repose/scene/file_text_internal.h"
#include "repose/scene/xml_tree_internal.h"

namespace repose {
namespace {

namespace fs = std::filesystem;
constexpr int kDeepest = 100;

class Loader {
 public:
  explicit Loader(const std::string& main) : main_(main) {}

  XmlElement root(const std::string& path, const XmlElement* from = nullptr) {
    std::error_code ignored;
    const std::string whole = fs::weakly_canonical(path, ignored).string();
    if (!seen_.insert(whole).second)
      from->refuse("file", in_quotes(path, kPathLength) + " a second time", "each file once (a cyclic include?)");
    const auto file = std::make_shared<const std::string>(path);
    const std::string text = read_scene_text(path);
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
    const Lines lines(text);
    require(result.status == pugi::status_ok, path, ":", lines.at(result.offset), ": expected well-formed XML, got ",
            result.description());
    const pugi::xml_node node = document.document_element();
    require(!node.empty(), path, ":1: expected an element, got none");
    return copy(node, file, lines, 0);
  }

 private:
  /// Returns the line of a byte, in logarithmic time.
  class Lines {
   public:
    explicit Lines(const std::string& text) {
      for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n') ends_.push_back(static_cast<std::ptrdiff_t>(i));
    }
    [[nodiscard]] long at(std::ptrdiff_t byte) const {
      return std::lower_bound(ends_.begin(), ends_.end(), byte) - ends_.begin() + 1;
    }

   private:
    std::vector<std::ptrdiff_t> ends_;
  };

  XmlElement copy(pugi::xml_node node, const std::shared_ptr<const std::string>& file, const Lines& lines, int depth) {
    XmlElement e{.name = node.name(), .attributes = {}, .children = {}, .file = file, .line = 0};
    e.line = lines.at(node.offset_debug());
    if (depth > kDeepest)
      e.refuse("nesting", "elements more than " + std::to_string(kDeepest) + " deep", "at most that");
    for (pugi::xml_attribute a : node.attributes()) {
      if (e.find(a.name()) != nullptr) e.refuse(a.name(), "it twice", "once");
      e.attributes.emplace_back(a.name(), a.value());
    }
    for (pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      XmlElement made = copy(child, file, lines, depth + 1);
      if (made.name == "include") {
        include(made, e);
      } else {
        e.children.push_back(std::move(made));
      }
    }
    return e;
  }

  void include(const XmlElement& e, XmlElement& into) {
    const std::string* name = e.find("file");
    if (name == nullptr) e.refuse("file", "none", "the name of a file");
    const std::string path = beside(main_, *name);
    if (!is_file(path)) e.refuse("file", in_quotes(*name) + ", which is not there", "a file");
    if (++including_ > kDeepest) e.refuse("file", "includes more than " + std::to_string(kDeepest) + " deep", "fewer");
    XmlElement other = root(path, &e);
    --including_;
    for (XmlElement& child : other.children) into.children.push_back(std::move(child));
  }

  std::string main_;
  std::set<std::string> seen_;
  int including_ = 0;
};

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

std::string XmlElement::place() const { return *file + ":" + std::to_string(line) + ": <" + name + ">"; }

void XmlElement::refuse(std::string_view what, const std::string& found, const std::string& allowed) const {
  fail(place(), what.empty() ? "" : " ", what, ": expected ", allowed, ", got ", found);
}

void XmlElement::refuse(std::string_view what, const InputError& cause) const {
  fail(place(), what.empty() ? "" : " ", what, ": ", cause.what());
}

XmlElement read_xml(const std::string& path) { return Loader(path).root(path); }

std::vector<double> xml_numbers(const XmlElement& e, std::string_view attribute, const std::string& text,
                                std::size_t least, std::size_t most) {
  std::vector<double> numbers;
  const char *at = text.data(), *const end = text.data() + text.size();
  bool good = true;
  while (good) {
    while (at != end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
    if (at == end) break;
    if (*at == '+') ++at;
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    good = error == std::errc() && std::isfinite(value) && numbers.size() < most &&
           (next == end || *next == ' ' || *next == '\t' || *next == '\n' || *next == '\r');
    numbers.push_back(value);
    at = next;
  }
  if (good && numbers.size() >= least) return numbers;
  std::string allowed = least == most ? std::to_string(least) : std::to_string(least) + " or more";
  e.refuse(attribute, in_quotes(text), allowed + (least == 1 && most == 1 ? " finite number" : " finite numbers"));
}

}  // namespace repose
