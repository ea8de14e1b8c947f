// SPDX-License-Identifier: Apache-2.0
// Kernels of models with prescribed motions and events.
#define REPOSE_UNCONTRACTED repose_uncontracted_2
#define REPOSE_HOST_FEATURES 2
#include "repose/batch/host_class_internal.h"
