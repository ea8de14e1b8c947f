// SPDX-License-Identifier: Apache-2.0
// Impulses of the problems in problems/corpus that are solved quickly, from zero and from their stored start.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace repose::frozen {

/// "FILE:cold" and "FILE:warm" for all files of the corpus, in order.
[[nodiscard]] std::vector<std::string> corpus_solves();

struct CorpusAnswer {
  std::string hash;  ///< of the bits of λ
  double work = 0;   ///< Newton steps × contacts, a sweep counting as a sixteenth of a step
};

/// One of corpus_solves(), solved by auto to 1e-8.
[[nodiscard]] CorpusAnswer corpus_answer(const std::string& name);

/// About 50 ms: what is dearer is left to `repose bench hard`.
inline constexpr double kFrozenWork = 30'000;

}  // namespace repose::frozen
