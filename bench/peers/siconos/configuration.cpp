// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/siconos/configuration.h"

#include <Friction_cst.h>
#include <SolverOptions.h>

namespace repose::bench {
namespace {

// From VI_cst.h and SOCLCP_cst.h, which Debian's package leaves out.
enum { SICONOS_VI_IPARAM_LINESEARCH_METHOD = 6, SICONOS_VI_LS_SOLODOV = 1 };
enum { SICONOS_SOCLCP_VI_FPP = 1106, SICONOS_SOCLCP_VI_EG = 1107 };

/// The time limit ends a solve, not a count.
constexpr Setting kUnlimited{SICONOS_IPARAM_MAX_ITER, 1e9};
/// Newton's method has converged by then or cycles; Siconos' own tests allow 1000.
constexpr Setting kNewtonIterations{SICONOS_IPARAM_MAX_ITER, 2000};
constexpr Setting kNoLineSearch{SICONOS_FRICTION_3D_NSN_LINESEARCH, SICONOS_FRICTION_3D_NSN_LINESEARCH_NO};
constexpr Setting kJeanMoreau{SICONOS_FRICTION_3D_NSN_FORMULATION, SICONOS_FRICTION_3D_NSN_FORMULATION_JEANMOREAU_STD};
constexpr Setting kConstantRho{SICONOS_FRICTION_3D_NSN_RHO_STRATEGY,
                               SICONOS_FRICTION_3D_NSN_FORMULATION_RHO_STRATEGY_CONSTANT};
constexpr Setting kSplitRho{SICONOS_FRICTION_3D_NSN_RHO_STRATEGY,
                            SICONOS_FRICTION_3D_NSN_FORMULATION_RHO_STRATEGY_SPLIT_SPECTRAL_NORM};
constexpr Setting kExtraGradientStart{SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY,
                                      SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN};

std::vector<Configuration> gauss_seidel() {
  const Configuration nsgs{.family = "NSGS", .solver = SICONOS_FRICTION_3D_NSGS, .iparam = {kUnlimited}};
  const auto with = [&](const char* name, int local) {
    Configuration c = nsgs;
    c.name = name;
    c.internal = local;
    return c;
  };
  std::vector<Configuration> list = {
      with("NSGS hybrid Newton", SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID),
      with("NSGS damped Newton", SICONOS_FRICTION_3D_ONECONTACT_NSN_GP),
      with("NSGS Newton", SICONOS_FRICTION_3D_ONECONTACT_NSN),
      with("NSGS quartic", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC_NU),
      with("NSGS projection", SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration),
  };
  Configuration relaxed = with("NSGS hybrid Newton, relaxed 1.5", SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID);
  relaxed.iparam.push_back({SICONOS_FRICTION_3D_NSGS_RELAXATION, SICONOS_FRICTION_3D_NSGS_RELAXATION_TRUE});
  relaxed.dparam.push_back({SICONOS_FRICTION_3D_NSGS_RELAXATION_VALUE, 1.5});
  list.push_back(relaxed);
  return list;
}

/// Linear systems: LAPACK for dense W, MUMPS otherwise, which is Siconos' default. Its switch to CSparse is lost when
/// the matrix is assembled (4.4.0); the difference is some 10 %.
std::vector<Configuration> newton() {
  const auto nsn = [](const char* family, const char* name, int solver, std::vector<Setting> extra = {}) {
    Configuration c{.family = family, .name = name, .solver = solver, .iparam = {kNewtonIterations}};
    c.iparam.insert(c.iparam.end(), extra.begin(), extra.end());
    return c;
  };
  const int ac = SICONOS_FRICTION_3D_NSN_AC;
  return {
      nsn("NSN-AC", "NSN-AC", ac),
      nsn("NSN-AC", "NSN-AC no line search", ac, {kNoLineSearch}),
      nsn("NSN-AC", "NSN-AC Jean-Moreau", ac, {kJeanMoreau}),
      nsn("NSN-AC", "NSN-AC constant rho", ac, {kConstantRho}),
      nsn("NSN-AC", "NSN-AC split rho", ac, {kSplitRho}),
      nsn("NSN-AC", "NSN-AC after VI-EG", ac, {kExtraGradientStart}),
      nsn("NSN-AC", "NSN-AC generic Newton", SICONOS_FRICTION_3D_NSN_AC_TEST),
      nsn("NSN-FB", "NSN-FB", SICONOS_FRICTION_3D_NSN_FB),
      nsn("NSN-NM", "NSN-NM", SICONOS_FRICTION_3D_NSN_NM),
      nsn("NSN-NM", "NSN-NM no line search", SICONOS_FRICTION_3D_NSN_NM, {kNoLineSearch}),
  };
}

std::vector<Configuration> proximal() {
  const auto ppa = [](const char* name, int internal, std::vector<Setting> internal_iparam = {}) {
    return Configuration{.family = "PPA",
                         .name = name,
                         .solver = SICONOS_FRICTION_3D_PROX,
                         .iparam = {kUnlimited},
                         .internal = internal,
                         .internal_iparam = std::move(internal_iparam)};
  };
  const int ac = SICONOS_FRICTION_3D_NSN_AC;
  const auto sigma = [](Configuration c, double value) {  // α = σ × error; 5 by default
    c.dparam = {{SICONOS_FRICTION_3D_PROXIMAL_DPARAM_SIGMA, value}};
    return c;
  };
  const auto regularised = [](Configuration c, double alpha) {  // α falls tenfold after each success
    c.iparam.push_back({SICONOS_FRICTION_3D_PROXIMAL_IPARAM_STRATEGY, SICONOS_FRICTION_3D_PROXIMAL_REGULARIZATION});
    c.dparam = {{SICONOS_FRICTION_3D_PROXIMAL_DPARAM_ALPHA, alpha}};
    return c;
  };
  return {
      ppa("PPA NSN-AC", ac),
      ppa("PPA NSN-AC no line search", ac, {kNoLineSearch}),
      sigma(ppa("PPA NSN-AC sigma .5", ac, {kNoLineSearch}), 0.5),
      sigma(ppa("PPA NSN-AC sigma .05", ac, {kNoLineSearch}), 0.05),
      regularised(ppa("PPA NSN-AC alpha 1 falling", ac, {kNoLineSearch}), 1.0),
      regularised(ppa("PPA NSN-AC alpha .01 falling", ac, {kNoLineSearch}), 0.01),
      ppa("PPA NSN-AC Jean-Moreau", ac, {kNoLineSearch, kJeanMoreau}),
      ppa("PPA NSN-FB", SICONOS_FRICTION_3D_NSN_FB),
      ppa("PPA NSGS", SICONOS_FRICTION_3D_NSGS),
  };
}

std::vector<Configuration> splitting() {
  const auto admm = [](const char* name, std::vector<Setting> extra) {
    Configuration c{.family = "ADMM", .name = name, .solver = SICONOS_FRICTION_3D_ADMM, .iparam = {kUnlimited}};
    c.iparam.insert(c.iparam.end(), extra.begin(), extra.end());
    return c;
  };
  const Setting balanced{SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY,
                         SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING};
  const Setting scaled{SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY,
                       SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING};
  const Setting asymmetric{SICONOS_FRICTION_3D_ADMM_IPARAM_SYMMETRY, SICONOS_FRICTION_3D_ADMM_FORCED_ASYMMETRY};
  return {
      admm("ADMM", {}),
      admm("ADMM balanced", {balanced}),
      admm("ADMM balanced, scaled", {scaled}),
      admm("ADMM asymmetric, balanced", {asymmetric, scaled}),
  };
}

Configuration plain(const char* family, const char* name, int solver, int internal = 0) {
  return {.family = family, .name = name, .solver = solver, .iparam = {kUnlimited}, .internal = internal};
}

std::vector<Configuration> variational() {
  const auto solodov = [](Configuration c) {
    c.iparam.push_back({SICONOS_VI_IPARAM_LINESEARCH_METHOD, SICONOS_VI_LS_SOLODOV});
    return c;
  };
  return {
      plain("VI-EG", "VI-EG", SICONOS_FRICTION_3D_VI_EG),
      solodov(plain("VI-EG", "VI-EG Solodov-Tseng", SICONOS_FRICTION_3D_VI_EG)),
      plain("VI-FPP", "VI-FPP", SICONOS_FRICTION_3D_VI_FPP),
      solodov(plain("VI-FPP", "VI-FPP Solodov-Tseng", SICONOS_FRICTION_3D_VI_FPP)),
  };
}

std::vector<Configuration> fixed_point() {
  return {
      plain("DSFP", "DSFP", SICONOS_FRICTION_3D_DSFP),
      plain("ACLM", "ACLM NSGS", SICONOS_FRICTION_3D_ACLMFP),
      plain("ACLM", "ACLM VI-EG", SICONOS_FRICTION_3D_ACLMFP, SICONOS_SOCLCP_VI_EG),
      plain("ACLM", "ACLM VI-FPP", SICONOS_FRICTION_3D_ACLMFP, SICONOS_SOCLCP_VI_FPP),
      plain("TFP", "TFP", SICONOS_FRICTION_3D_TFP),
      plain("PFP", "PFP", SICONOS_FRICTION_3D_PFP),
      plain("SOCLCP", "SOCLCP (associated law)", SICONOS_FRICTION_3D_SOCLCP),
  };
}

/// The local solvers of NSGS by themselves.
std::vector<Configuration> one_contact() {
  std::vector<Configuration> list = {
      plain("one contact", "one contact damped Newton", SICONOS_FRICTION_3D_ONECONTACT_NSN_GP),
      plain("one contact", "one contact Newton", SICONOS_FRICTION_3D_ONECONTACT_NSN),
      plain("one contact", "one contact quartic", SICONOS_FRICTION_3D_ONECONTACT_QUARTIC_NU),
  };
  for (Configuration& c : list) {
    c.iparam.clear();
    c.most_contacts = 1;
  }
  return list;
}

}  // namespace

const char* to_string(Storage storage) {
  switch (storage) {
    case Storage::kBlocks: return "blocks";
    case Storage::kSparse: return "sparse";
    case Storage::kDense: return "dense";
  }
  return "";
}

const char* to_string(Units units) { return units == Units::kFile ? "file" : "natural"; }

std::vector<Configuration> configurations() {
  std::vector<Configuration> all;
  const auto add = [&](std::vector<Configuration> part, const std::vector<Storage>& storages,
                       const std::vector<Units>& units) {
    for (Configuration& c : part) {
      c.storages = storages;
      c.units = units;
      all.push_back(std::move(c));
    }
  };
  const std::vector<Units> both = {Units::kNatural, Units::kFile};
  add(newton(), {Storage::kBlocks, Storage::kDense}, both);
  add(proximal(), {Storage::kBlocks, Storage::kDense}, both);
  add(gauss_seidel(), {Storage::kBlocks}, {Units::kNatural});  // its steps do not depend on units
  add(splitting(), {Storage::kSparse, Storage::kDense}, both);
  add(variational(), {Storage::kBlocks}, both);
  add(fixed_point(), {Storage::kBlocks}, {Units::kNatural});
  add(one_contact(), {Storage::kDense}, both);
  return all;
}

std::vector<Presentation> presentations(const Configuration& configuration, int contacts) {
  std::vector<Presentation> list;
  if (contacts > configuration.most_contacts) return list;
  for (const Storage storage : configuration.storages) {
    if (storage == Storage::kDense && contacts > kDenseContacts) continue;
    for (const Units units : configuration.units) list.push_back({storage, units});
  }
  return list;
}

}  // namespace repose::bench
