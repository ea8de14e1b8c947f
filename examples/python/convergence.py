# SPDX-License-Identifier: Apache-2.0
"""One contact problem, three solvers, their convergence.   convergence.py [PROBLEM.hdf5|.dat] [OUT.png]

Takes FCLIB and Siconos files; without one it saves the problem of an arch's first step and solves that.
"""
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import repose
import repose.plot


def arch_problem(folder: str) -> Path:
    model = repose.scenes.arch(stones=25)
    data = repose.Data(model)
    repose.step(model, data)
    file = Path(folder) / "arch.hdf5"
    data.contact_problem().save(file)
    return file


def main(file: Path, out: str) -> dict[str, repose.Solution]:
    solutions = {outer: repose.solve(file, outer, tol=1e-8, max_outer=2000) for outer in ("auto", "newton", "nsgs")}
    for name, s in solutions.items():
        print(f"{name:8s} {s.status:16s} {s.outer_iterations:6d} iterations {s.ms:9.2f} ms   r_c {s.certificate.r_c:.1e}  "
              f"nat {s.certificate.nat:.1e}")
    repose.plot.residual_history(solutions)
    plt.savefig(out, dpi=100)
    return solutions


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else arch_problem(folder), sys.argv[2] if len(sys.argv) > 2 else "convergence.png")
