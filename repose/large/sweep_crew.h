// SPDX-License-Identifier: Apache-2.0
// How many threads of a device sweep over one problem.
#pragma once

namespace repose {

/// Threads of a device that wait for one another after every phase. The impulses do not depend on it.
enum class SweepCrew {
  kAny,      ///< by the number of contacts
  kBlock,    ///< those of one multiprocessor
  kCluster,  ///< of up to sixteen, which have a barrier of their own; from compute capability 9.0 on
  kGrid      ///< of all
};

}  // namespace repose
