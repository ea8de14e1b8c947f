// SPDX-License-Identifier: Apache-2.0
// Other engines on the same scenes, through the scripts in bench/peers: they live in Python environments of their own.
#pragma once

#include <string>
#include <vector>

namespace repose::bench {

/// REPOSE_PYTHON, the project's own environment, or whatever python3 is.
[[nodiscard]] std::string project_python();

/// Becomes bench/peers/peers.py with these arguments. Throws InputError when the scripts are not there or cannot be
/// started.
[[noreturn]] void become_peers(const std::vector<std::string>& arguments);

}  // namespace repose::bench
