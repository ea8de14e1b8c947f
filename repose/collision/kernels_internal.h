// SPDX-License-Identifier: Apache-2.0
// All collision kernels with their definitions, for device sources: a device compiler needs the definitions in the file
// that calls them. Host code links the library and includes pair_table_internal.h only.
#pragma once

#include "repose/collision/axis_search_kernel_internal.h"
#include "repose/collision/clip_kernel_internal.h"
#include "repose/collision/cylinder_kernel_internal.h"
#include "repose/collision/cylinder_pair_kernel_internal.h"
#include "repose/collision/gjk_kernel_internal.h"
#include "repose/collision/pair_table_internal.h"
#include "repose/collision/polyhedron_cylinder_kernel_internal.h"
#include "repose/collision/polyhedron_pair_kernel_internal.h"
#include "repose/collision/round_pairs_kernel_internal.h"
#include "repose/collision/segment_kernel_internal.h"
