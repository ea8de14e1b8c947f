/* SPDX-License-Identifier: Apache-2.0 */
/* The ten BLAS and LAPACK routines that SCS's Anderson acceleration calls, for the arguments it calls them with:
 * unit strides, upper triangles, no transposes but Q' from the left. Its matrices have about ten columns, so plain
 * loops do; they add up in one fixed order, so results repeat whatever BLAS the machine has. The names end in
 * _repose (BLASSUFFIX) and meet no other library. Column-major storage, Fortran calling convention. */
#include <math.h>

double dnrm2_repose(const int* n, const double* x, const int* incx);
void daxpy_repose(const int* n, const double* a, const double* x, const int* incx, double* y, const int* incy);
void dscal_repose(const int* n, const double* a, double* x, const int* incx);
void dgemv_repose(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
                  const double* x, const int* incx, const double* beta, double* y, const int* incy);
void dtrsv_repose(const char* uplo, const char* trans, const char* diag, const int* n, const double* a, const int* lda,
                  double* x, const int* incx);
void dtrmv_repose(const char* uplo, const char* trans, const char* diag, const int* n, const double* a, const int* lda,
                  double* x, const int* incx);
void dgesv_repose(const int* n, const int* nrhs, double* a, const int* lda, int* ipiv, double* b, const int* ldb,
                  int* info);
void dgetrs_repose(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda, const int* ipiv,
                   double* b, const int* ldb, int* info);
void dgeqp3_repose(const int* m, const int* n, double* a, const int* lda, int* jpvt, double* tau, double* work,
                   const int* lwork, int* info);
void dormqr_repose(const char* side, const char* trans, const int* m, const int* n, const int* k, const double* a,
                   const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork,
                   int* info);

static void swap(double* a, double* b) {
  const double kept = *a;
  *a = *b;
  *b = kept;
}

/* Euclidean norm; the largest entry is taken out so that squares neither overflow nor vanish. */
static double norm(int n, const double* x) {
  double largest = 0, sum = 0;
  for (int i = 0; i < n; ++i) {
    if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]); /* a NaN gets through */
  }
  if (!(largest > 0) || isinf(largest)) return largest;
  for (int i = 0; i < n; ++i) sum += (x[i] / largest) * (x[i] / largest);
  return largest * sqrt(sum);
}

double dnrm2_repose(const int* n, const double* x, const int* incx) {
  (void)incx;
  return norm(*n, x);
}

void daxpy_repose(const int* n, const double* a, const double* x, const int* incx, double* y, const int* incy) {
  (void)incx, (void)incy;
  for (int i = 0; i < *n; ++i) y[i] += *a * x[i];
}

void dscal_repose(const int* n, const double* a, double* x, const int* incx) {
  (void)incx;
  for (int i = 0; i < *n; ++i) x[i] *= *a;
}

/* y = alpha A x + beta y */
void dgemv_repose(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
                  const double* x, const int* incx, const double* beta, double* y, const int* incy) {
  (void)trans, (void)incx, (void)incy;
  for (int i = 0; i < *m; ++i) y[i] *= *beta;
  for (int j = 0; j < *n; ++j) {
    const double factor = *alpha * x[j];
    const double* column = a + (long)j * *lda;
    for (int i = 0; i < *m; ++i) y[i] += factor * column[i];
  }
}

/* x = R^-1 x */
void dtrsv_repose(const char* uplo, const char* trans, const char* diag, const int* n, const double* a, const int* lda,
                  double* x, const int* incx) {
  (void)uplo, (void)trans, (void)diag, (void)incx;
  for (int j = *n - 1; j >= 0; --j) {
    const double* column = a + (long)j * *lda;
    x[j] /= column[j];
    for (int i = 0; i < j; ++i) x[i] -= x[j] * column[i];
  }
}

/* x = R x */
void dtrmv_repose(const char* uplo, const char* trans, const char* diag, const int* n, const double* a, const int* lda,
                  double* x, const int* incx) {
  (void)uplo, (void)trans, (void)diag, (void)incx;
  for (int j = 0; j < *n; ++j) {
    const double* column = a + (long)j * *lda;
    for (int i = 0; i < j; ++i) x[i] += x[j] * column[i];
    x[j] *= column[j];
  }
}

/* Row of the largest entry of column k, at or below the diagonal. */
static int pivot_row(int n, const double* a, int lda, int k) {
  int best = k;
  for (int i = k + 1; i < n; ++i) {
    if (fabs(a[i + (long)k * lda]) > fabs(a[best + (long)k * lda])) best = i;
  }
  return best;
}

/* A = P L U in place. Returns 0, or the 1-based place of a zero pivot. */
static int lu_factor(int n, double* a, int lda, int* ipiv) {
  for (int k = 0; k < n; ++k) {
    const int row = pivot_row(n, a, lda, k);
    ipiv[k] = row + 1;
    for (int j = 0; j < n; ++j) swap(&a[k + (long)j * lda], &a[row + (long)j * lda]);
    const double pivot = a[k + (long)k * lda];
    if (pivot == 0) return k + 1;
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i + (long)k * lda] /= pivot;
      for (int j = k + 1; j < n; ++j) a[i + (long)j * lda] -= factor * a[k + (long)j * lda];
    }
  }
  return 0;
}

void dgetrs_repose(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda, const int* ipiv,
                   double* b, const int* ldb, int* info) {
  (void)trans;
  for (int r = 0; r < *nrhs; ++r) {
    double* x = b + (long)r * *ldb;
    for (int k = 0; k < *n; ++k) swap(&x[k], &x[ipiv[k] - 1]);
    for (int k = 0; k < *n; ++k) {
      for (int i = k + 1; i < *n; ++i) x[i] -= a[i + (long)k * *lda] * x[k];
    }
    dtrsv_repose("U", "N", "N", n, a, lda, x, n);
  }
  *info = 0;
}

void dgesv_repose(const int* n, const int* nrhs, double* a, const int* lda, int* ipiv, double* b, const int* ldb,
                  int* info) {
  *info = lu_factor(*n, a, *lda, ipiv);
  if (*info == 0) dgetrs_repose("N", n, nrhs, a, lda, ipiv, b, ldb, info);
}

/* H = I - tau v v', v = (1, x[1..]), turns x into (beta, 0, ..., 0); beta is left in x[0], v's tail in x[1..]. */
static double make_reflector(int n, double* x) {
  const double tail = norm(n - 1, x + 1);
  if (tail == 0) return 0;
  const double beta = -copysign(hypot(x[0], tail), x[0]);
  const double tau = (beta - x[0]) / beta;
  for (int i = 1; i < n; ++i) x[i] /= x[0] - beta;
  x[0] = beta;
  return tau;
}

/* c = H c for the reflector whose tail lies in v[1..]. */
static void apply_reflector(int n, const double* v, double tau, double* c) {
  double dot = c[0];
  for (int i = 1; i < n; ++i) dot += v[i] * c[i];
  c[0] -= tau * dot;
  for (int i = 1; i < n; ++i) c[i] -= tau * dot * v[i];
}

/* QR with column pivoting. The norms are computed anew in every step: ten columns do not pay for downdating. */
void dgeqp3_repose(const int* m, const int* n, double* a, const int* lda, int* jpvt, double* tau, double* work,
                   const int* lwork, int* info) {
  *info = 0;
  work[0] = *n;
  if (*lwork == -1) return; /* workspace query */
  const int steps = *m < *n ? *m : *n;
  for (int j = 0; j < *n; ++j) jpvt[j] = j + 1;
  for (int k = 0; k < steps; ++k) {
    int best = k;
    double largest = -1;
    for (int j = k; j < *n; ++j) {
      const double length = norm(*m - k, a + k + (long)j * *lda);
      if (length > largest) largest = length, best = j;
    }
    if (best != k) {
      for (int i = 0; i < *m; ++i) swap(&a[i + (long)k * *lda], &a[i + (long)best * *lda]);
      const int kept = jpvt[k];
      jpvt[k] = jpvt[best];
      jpvt[best] = kept;
    }
    double* column = a + k + (long)k * *lda;
    tau[k] = make_reflector(*m - k, column);
    for (int j = k + 1; j < *n; ++j) apply_reflector(*m - k, column, tau[k], a + k + (long)j * *lda);
  }
}

/* C = Q' C */
void dormqr_repose(const char* side, const char* trans, const int* m, const int* n, const int* k, const double* a,
                   const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork,
                   int* info) {
  (void)side, (void)trans;
  *info = 0;
  work[0] = *n;
  if (*lwork == -1) return; /* workspace query */
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *k; ++i) {
      apply_reflector(*m - i, a + i + (long)i * *lda, tau[i], c + i + (long)j * *ldc);
    }
  }
}
