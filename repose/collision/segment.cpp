// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/segment_kernel_internal.h"
