// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/round_pairs_kernel_internal.h"
