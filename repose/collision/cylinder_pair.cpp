// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/cylinder_pair_kernel_internal.h"
