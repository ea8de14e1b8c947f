// SPDX-License-Identifier: Apache-2.0
// A stranger's program: it sees the installed package and nothing of the repository. All installed headers are in
// all_headers.h, so this also proves that they ask for no library and no flag that the package does not bring.
#include <iostream>

#include "all_headers.h"

int main() {
  std::cout << "repose " << repose::kVersion << '\n';
  return repose::kVersion == EXPECTED_VERSION ? 0 : 1;
}
