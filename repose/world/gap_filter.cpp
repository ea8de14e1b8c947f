// SPDX-License-Identifier: Apache-2.0
#include "repose/world/gap_filter_kernel.h"
