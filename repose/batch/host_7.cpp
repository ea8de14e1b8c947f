// SPDX-License-Identifier: Apache-2.0
// Kernels of models with joints and everything else.
#define REPOSE_UNCONTRACTED repose_uncontracted_7
#define REPOSE_HOST_FEATURES 7
#include "repose/batch/host_class_internal.h"
