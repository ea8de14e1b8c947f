// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/polyhedron_pair_kernel_internal.h"
