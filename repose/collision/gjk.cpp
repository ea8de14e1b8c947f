// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/gjk_kernel_internal.h"
