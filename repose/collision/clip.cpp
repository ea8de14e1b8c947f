// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/clip_kernel_internal.h"
