// SPDX-License-Identifier: Apache-2.0
// Certificates and reports of steps.
#include <sstream>

#include "python/src/bindings.h"

namespace repose::python {

void bind_reports(nb::module_& m) {
  nb::class_<Certificate>(m, "Certificate",
                          "How far an answer is from the exact Coulomb law; all numbers are relative, 0 is exact.")
      .def_prop_ro("r_c", &Certificate::r_c, "Coulomb residual: the largest of force, velocity and gap.")
      .def_prop_ro(
          "force", [](const Certificate& c) { return c.residual.force; },
          "Distance of the impulses from the friction cones.")
      .def_prop_ro(
          "velocity", [](const Certificate& c) { return c.residual.velocity; },
          "Distance of the augmented velocities from the dual cones.")
      .def_prop_ro(
          "gap", [](const Certificate& c) { return c.residual.gap; },
          "Complementarity: impulses against augmented velocities.")
      .def_ro("nat", &Certificate::nat, "Natural map: error of the impulses.")
      .def_prop_ro(
          "r_c_paper", [](const Certificate& c) { return c.paper.worst(); },
          "r_c with scales fixed at the start of the solve.")
      .def_prop_ro("worst", &Certificate::worst, "max(r_c, nat)")
      .def("solved", &Certificate::solved, nb::arg("tol") = 1e-8)
      .def("__repr__", [](const Certificate& c) {
        std::ostringstream text;
        text << "<repose.Certificate r_c=" << c.r_c() << " nat=" << c.nat << ">";
        return text.str();
      });
  nb::class_<StepReport>(m, "StepReport", "What the last step said.")
      .def_prop_ro(
          "status", [](const StepReport& r) { return to_string(r.status); },
          "'solved', 'accepted' (above tol, within accept), 'unsolved', 'broken' or 'interrupted'")
      .def_prop_ro(
          "solved", [](const StepReport& r) { return r.status == StepStatus::kSolved; },
          "Whether r_c and nat are within tol on every island, and no overlapping pair lacks a contact.")
      .def_ro("why", &StepReport::why, "What broke; of a step above tol, that rounding is the limit; otherwise empty.")
      .def_ro("pairs_missed", &StepReport::pairs_missed,
              "Pairs of shapes that overlap deeply at the end of the step and got no contact.")
      .def_ro("step", &StepReport::step, "Steps taken since t = 0.")
      .def_ro("time", &StepReport::time, "At the end of the step, s.")
      .def_ro("certificate", &StepReport::certificate, "Part by part the worst of all islands.")
      .def_ro("contacts", &StepReport::contacts)
      .def_prop_ro(
          "squeezes", [](const StepReport& r) { return r.squeeze.islands; },
          "Islands in which prescribed motions leave a body no room; they overlap it and do no work.")
      .def_prop_ro(
          "squeeze_lack", [](const StepReport& r) { return r.squeeze.lack; }, "Room that the worst of them lacks, m.")
      .def_ro("joint_error", &StepReport::joint_error, "Largest position error of a joint at the end of the step, m.")
      .def_ro("contacts_ahead", &StepReport::contacts_ahead,
              "Of the contacts, at the end of their list: not there at the start of the step, met on the way.")
      .def_ro("islands", &StepReport::islands)
      .def_ro("accepted_islands", &StepReport::accepted_islands, "Above tol, within accept.")
      .def_ro("unsolved_islands", &StepReport::unsolved_islands)
      .def_ro("imprecise_islands", &StepReport::imprecise_islands,
              "Of both, those whose certificate alone says more: see remainder.")
      .def_ro("remainder", &StepReport::remainder,
              "What the residual leaves in velocities or in work, as a share of those of the contacts themselves.")
      .def_ro("outer_iterations", &StepReport::outer_iterations)
      .def_ro("inner_iterations", &StepReport::inner_iterations)
      .def_ro("fallbacks", &StepReport::fallbacks)
      .def_ro("work", &StepReport::work, "Block products per contact, the largest of all islands (auto, newton).")
      .def_ro("penetration", &StepReport::penetration, "Deepest overlap at the start of the step, m.")
      .def_ro("overlap_share", &StepReport::overlap_share,
              "Deepest overlap at the start of the step as a share of the thickness of the pair's thinner body.")
      .def_ro("energy", &StepReport::energy, "Kinetic and potential, J.")
      .def_ro("energy_rise", &StepReport::energy_rise, "What forces and prescribed motions do not explain, J.")
      .def_prop_ro(
          "ms",
          [](const StepReport& r) {
            return std::map<std::string, double>{{"collide", r.ms.collide},
                                                 {"assemble", r.ms.assemble},
                                                 {"solve", r.ms.solve},
                                                 {"integrate", r.ms.integrate}};
          },
          "Wall time of the phases, ms.")
      .def("__repr__", [](const StepReport& r) {
        std::ostringstream text;
        text << "<repose.StepReport " << r.step << " at " << r.time << " s: " << to_string(r.status) << ", "
             << r.contacts << " contacts, r_c=" << r.certificate.r_c() << ">";
        return text.str();
      });
}

}  // namespace repose::python
