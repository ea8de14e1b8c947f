// SPDX-License-Identifier: Apache-2.0
// What a benchmark is given: the options, a place for its tables, somebody who watches.
#pragma once

#include <string>
#include <vector>

#include "bench/suite/suite.h"

namespace repose::bench {

struct Column {
  std::string title;
  int width = 0;  ///< least width of the column as text, characters
};

class Context {
 public:
  Context(std::string name, const SuiteOptions& options, Listener& listener);

  [[nodiscard]] const SuiteOptions& options() const { return options_; }
  [[nodiscard]] bool stopped() const { return options_.stopped(); }
  /// `usual` unless --seeds or --quick says otherwise.
  [[nodiscard]] int seeds(int usual, int quick = 2) const;
  [[nodiscard]] double tolerance(double usual) const;
  [[nodiscard]] std::string commit() const { return document_["provenance"]["commit"]; }

  void working_on(const std::string& what) { listener_.working_on(what); }
  /// Rows go to this table from now on.
  void start_table(const std::string& title, std::vector<Column> columns);
  /// The numbers for scripts, and the same for people, one text per column.
  void add_row(Json numbers, const std::vector<std::string>& cells);
  /// A sentence below the tables.
  void note(const std::string& text);
  [[nodiscard]] Json finish();

 private:
  void show_cells(const std::vector<std::string>& cells);

  const SuiteOptions& options_;
  Listener& listener_;
  std::vector<Column> columns_;
  Json document_;
};

}  // namespace repose::bench
