// SPDX-License-Identifier: Apache-2.0
// The inputs of actuators: their controls, or the activations that follow them.
#include <algorithm>
#include <cmath>

#include "repose/math/portable.h"
#include "repose/world/joint_step_internal.h"

namespace repose {
namespace {

double input_range(const SceneActuator& actuator, double control) {
  return std::clamp(control, actuator.control_lower, actuator.control_upper);
}

/// The activation after a step of h with a constant control.
double next_activation(const SceneActuator& actuator, double control, double activation, double h) {
  const double u = input_range(actuator, control);
  double next = activation;
  switch (actuator.dynamics) {
    case ActuatorDynamics::kNone: return 0;
    case ActuatorDynamics::kIntegrator: next += h * u; break;
    case ActuatorDynamics::kFilter: next += h * ((u - activation) / actuator.time); break;
    case ActuatorDynamics::kFilterExact:
      next = u + (activation - u) * portable::exponential_of(-std::min(h / actuator.time, 700.0));
      break;
  }
  return std::clamp(next, actuator.activation_lower, actuator.activation_upper);
}

}  // namespace

void find_inputs(const WorldSetup& setup, const WorldState& state, std::vector<double>& inputs) {
  inputs.resize(setup.scene.actuators.size());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const SceneActuator& actuator = setup.scene.actuators[k];
    if (!actuator.has_state())
      inputs[k] = input_range(actuator, state.controls[k]);
    else
      inputs[k] = actuator.early ? next_activation(actuator, state.controls[k], state.activations[k], setup.scene.dt)
                                 : state.activations[k];
  }
}

void advance_activations(const WorldSetup& setup, WorldState& state) {
  for (std::size_t k = 0; k < state.activations.size(); ++k)
    state.activations[k] =
        next_activation(setup.scene.actuators[k], state.controls[k], state.activations[k], setup.scene.dt);
}

}  // namespace repose
