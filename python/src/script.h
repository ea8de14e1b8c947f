// SPDX-License-Identifier: Apache-2.0
// A prescribed motion that is a Python function: time in s → pose of the body's frame.
//
// Worlds are stepped without the interpreter's lock, and their copies of a scene come and go on any thread. The
// function therefore hides behind a shared pointer whose end takes the lock, and a step asks it beforehand: prime()
// calls the function, the step itself reads what it said. A function that fails so leaves the world as it was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "python/src/bindings.h"

namespace repose::python {

class Script {
 public:
  Script(nb::callable function, std::string body);  ///< `body`: for messages

  /// What prime() has found, or the function itself.
  Pose operator()(double time) const;
  /// Calls the function; throws what it raises, and InputError when it returns no pose.
  void prime(double time) const;

 private:
  [[nodiscard]] Pose ask(double time) const;

  std::shared_ptr<nb::callable> function_;
  std::string body_;
  mutable std::optional<double> time_;
  mutable Pose pose_;
};

/// Registers the release of all functions with the interpreter's end.
void let_go_of_scripts_at_exit();

inline constexpr const char* kNoPickle = "which cannot be pickled or sent to another process";
inline constexpr const char* kNoText = "which cannot be written as text";

/// The scripts of a scene's motions; they live as long as the scene.
[[nodiscard]] std::vector<const Script*> scripts_of(const Scene& scene);
/// Throws InputError, naming the body, when a motion of the scene is a function. `why`: what cannot be done with it.
void refuse_scripts(const Scene& scene, const char* why);

}  // namespace repose::python
