// SPDX-License-Identifier: Apache-2.0
#include "repose/collision/polyhedron_cylinder_kernel_internal.h"
