// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/axis_search_kernel_internal.h"
