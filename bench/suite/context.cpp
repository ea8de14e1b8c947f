// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/context.h"

#include <algorithm>
#include <cassert>

#include "bench/provenance/provenance.h"
#include "bench/suite/text.h"

namespace repose::bench {
Context::Context(std::string name, const SuiteOptions& options, Listener& listener)
    : options_(options), listener_(listener) {
  document_["benchmark"] = std::move(name);
  document_["provenance"] = provenance();
  document_["quick"] = options.quick;
  document_["complete"] = false;
  document_["tables"] = Json::array();
  document_["notes"] = Json::array();
}

int Context::seeds(int usual, int quick) const {
  if (options_.seeds > 0) return options_.seeds;
  return options_.quick ? std::min(usual, quick) : usual;
}

double Context::tolerance(double usual) const { return options_.tolerance > 0 ? options_.tolerance : usual; }

void Context::start_table(const std::string& title, std::vector<Column> columns) {
  columns_ = std::move(columns);
  Json titles = Json::array();
  for (const Column& column : columns_) titles.push_back(column.title);
  document_["tables"].push_back(
      {{"title", title}, {"columns", titles}, {"rows", Json::array()}, {"text", Json::array()}});
  listener_.show("");
  listener_.show(title);
  std::vector<std::string> rule;
  for (const Column& column : columns_) rule.emplace_back(std::max<std::size_t>(3, text_width(column.title)), '-');
  show_cells(titles.get<std::vector<std::string>>());
  show_cells(rule);
}

void Context::add_row(Json numbers, const std::vector<std::string>& cells) {
  assert(cells.size() == columns_.size());
  Json& table = document_["tables"].back();
  table["rows"].push_back(std::move(numbers));
  table["text"].push_back(cells);
  show_cells(cells);
  listener_.finished_row(document_);
}

void Context::show_cells(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::size_t width =
        std::max<std::size_t>(text_width(columns_[k].title), static_cast<std::size_t>(columns_[k].width));
    const std::size_t used = text_width(cells[k]);
    line += " " + cells[k] + std::string(width > used ? width - used : 0, ' ') + " |";
  }
  listener_.show(line);
}

void Context::note(const std::string& text) {
  document_["notes"].push_back(text);
  listener_.show("");
  listener_.show(text);
}

Json Context::finish() {
  document_["complete"] = !stopped();
  return document_;
}

}  // namespace repose::bench
