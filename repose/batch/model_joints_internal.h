// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "repose/batch/batch_model_internal.h"

namespace repose::batch {

/// Fills the tables of joints, and the lists of joints by body. Bodies and their nodes are there already.
void add_joints(BatchModel::Impl& model);

/// Coordinates of joints and their velocities in a state whose bodies are where joints hold, for the caller.
void fill_coordinates(const BatchModel::Impl& model, const WorldState& state, double* position, double* velocity);

}  // namespace repose::batch
