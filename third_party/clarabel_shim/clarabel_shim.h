/* SPDX-License-Identifier: Apache-2.0 */
/* C ABI over Clarabel (Rust) for the cone QP of one contact step:
 *
 *     argmin over x in K of  1/2 x'P x + c'x,   K = product over contacts of K_mu,
 *
 * for one P and many c. Contact k with mu > 0 owns three consecutive variables (t1, t2, n) with
 * |(t1, t2)| <= mu n. A contact with mu = 0 owns one variable (n), n >= 0: its cone is a half line, and a
 * second-order cone without interior would stop an interior point method. The data are taken as they are:
 * scale P and c to the order of one first, because the tolerances are partly absolute.
 *
 * A handle belongs to one thread at a time. No Rust panic crosses this boundary. The solver allocates in
 * create, and may in solve. */
#ifndef REPOSE_CLARABEL_SHIM_H
#define REPOSE_CLARABEL_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct repose_clarabel repose_clarabel; /* opaque */

typedef struct repose_clarabel_settings {
  double tol_gap_abs; /* absolute duality gap, > 0 */
  double tol_gap_rel; /* relative duality gap, > 0 */
  double tol_feas;    /* primal and dual feasibility, > 0 */
  uint32_t max_iter;  /* interior point iterations, >= 1 */
} repose_clarabel_settings;

enum { /* status; 0 to 11 are Clarabel's SolverStatus */
  REPOSE_CLARABEL_UNSOLVED = 0,
  REPOSE_CLARABEL_SOLVED = 1,
  REPOSE_CLARABEL_PRIMAL_INFEASIBLE = 2,
  REPOSE_CLARABEL_DUAL_INFEASIBLE = 3,
  REPOSE_CLARABEL_ALMOST_SOLVED = 4,
  REPOSE_CLARABEL_ALMOST_PRIMAL_INFEASIBLE = 5,
  REPOSE_CLARABEL_ALMOST_DUAL_INFEASIBLE = 6,
  REPOSE_CLARABEL_MAX_ITERATIONS = 7,
  REPOSE_CLARABEL_MAX_TIME = 8,
  REPOSE_CLARABEL_NUMERICAL_ERROR = 9,
  REPOSE_CLARABEL_INSUFFICIENT_PROGRESS = 10,
  REPOSE_CLARABEL_CALLBACK_TERMINATED = 11,
  REPOSE_CLARABEL_BAD_INPUT = 100, /* a null pointer, a wrong size, a value that is not finite */
  REPOSE_CLARABEL_PANIC = 101      /* Clarabel panicked; the handle may only be destroyed */
};

typedef struct repose_clarabel_info {
  int32_t status;
  uint32_t iterations;
  double r_prim;  /* relative primal residual */
  double r_dual;  /* relative dual residual */
  double gap_abs; /* duality gap in units of the objective */
  double gap_rel;
} repose_clarabel_info;

/* P: the upper triangle of an n x n matrix in compressed columns, rows ascending in each column, every diagonal
 * entry present. n is the sum of the contacts' sizes, 3 or 1. All arrays are copied.
 * Returns NULL on failure, with the reason in error (cut to error_size, always terminated; may be NULL). */
repose_clarabel* repose_clarabel_create(size_t n, const size_t* p_colptr, const size_t* p_rowval,
                                        const double* p_nzval, size_t contacts, const double* mu,
                                        const repose_clarabel_settings* settings, char* error,
                                        size_t error_size);

/* New values for all nonzeros of P, same pattern. The symbolic factorisation is kept.
 * Returns REPOSE_CLARABEL_SOLVED or one of the statuses from 100 up. */
int32_t repose_clarabel_update_p(repose_clarabel* handle, const double* p_nzval, size_t count);

/* c and x: n values each. x is written unless the status is 100 or higher. There is no warm start: an interior
 * point method has no use for one. Returns info->status. */
int32_t repose_clarabel_solve(repose_clarabel* handle, const double* c, double* x, repose_clarabel_info* info);

/* NULL is allowed. */
void repose_clarabel_destroy(repose_clarabel* handle);

/* The version of the Clarabel crate, e.g. "0.11.1". */
const char* repose_clarabel_version(void);

#ifdef __cplusplus
}
#endif
#endif
