// SPDX-License-Identifier: Apache-2.0
// Kernels of models with cylinders, prescribed motions and events.
#define REPOSE_UNCONTRACTED repose_uncontracted_3
#define REPOSE_HOST_FEATURES 3
#include "repose/batch/host_class_internal.h"
