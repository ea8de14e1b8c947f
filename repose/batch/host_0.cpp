// SPDX-License-Identifier: Apache-2.0
// Kernels of models without features.
#define REPOSE_UNCONTRACTED repose_uncontracted_0
#define REPOSE_HOST_FEATURES 0
#include "repose/batch/host_class_internal.h"
