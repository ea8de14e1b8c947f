# SPDX-License-Identifier: Apache-2.0
"""Canonical forces: of problems, and on pages and in files of recordings."""
import subprocess

import numpy as np
import pytest
import repose


def standing(**options):
    model = repose.scenes.cards(levels=2)
    data = repose.Data(model, **options)
    repose.step(model, data, n=60)
    return data


def test_a_problem_has_the_forces_of_its_step():
    data = standing()
    problem = data.contact_problem()
    solver, canonical = repose.solve(problem, tol=1e-10), repose.solve(problem, tol=1e-10, forces="canonical")
    assert (solver.forces, canonical.forces) == ("solver", "canonical")
    assert canonical.converged
    certificate = problem.certify(canonical.impulse)
    assert max(certificate.r_c, certificate.nat) <= 1e-10
    assert np.allclose(canonical.velocity, solver.velocity, atol=1e-9 * np.abs(problem.v_free).max())
    assert np.linalg.norm(canonical.impulse) <= np.linalg.norm(solver.impulse) * (1 + 1e-9)
    with pytest.raises(ValueError, match="forces: expected solver or canonical, got 'mine'"):
        repose.solve(problem, forces="mine")


def test_a_matrix_has_none():
    with pytest.raises(ValueError, match="body form"):
        repose.solve(W=np.eye(3), v_free=[0, 0, -1.0], mu=[0.5], forces="canonical")


def test_files_show_them_at_rest(tmp_path):
    repose.run(repose.scenes.cards(levels=2), time=0.5, record=tmp_path / "run.h5")
    recording = repose.Recording(tmp_path / "run.h5")
    force = {}
    for kind in ("auto", "solver", "canonical"):
        recording.export(tmp_path / "run.npz", forces=kind)
        with np.load(tmp_path / "run.npz") as arrays:
            force[kind] = arrays["contact_force"][arrays["contact_step"] == len(recording) - 1]
    assert np.array_equal(force["auto"], force["canonical"])
    assert np.abs(force["auto"] - force["solver"]).max() > 1e-3 * np.abs(force["solver"]).max()
    with pytest.raises(ValueError, match="forces: expected auto, solver or canonical, got 'mine'"):
        recording.export(tmp_path / "run.html", forces="mine")


def test_joints_take_part():
    """A cart of two boxes with a hinge between them, on the ground."""
    b = repose.ModelBuilder("cart")
    b.add_ground_plane()
    bodies = [b.add_body((x, 0, 0.25)) for x in (-0.6, 0.6)]
    for body in bodies:
        b.add_shape_box(body, 0.5, 0.25, 0.25)
    b.add_joint("hinge", bodies[0], bodies[1], (0, 0, 0.25), (0, 1, 0))
    data = repose.Data(b.finalize())
    repose.step(data.model, data, n=30)
    forces = data.contact_forces("canonical")
    assert forces.shape == data.contact_forces("solver").shape
    assert abs(forces[:, 2]).sum() == pytest.approx(2 * 0.25 * 1000 * 9.81, rel=1e-6)
    least, greatest = data.force_range(bodies=(bodies[0], 0)) if bodies[0] != 0 else data.force_range(contact=0)
    assert least <= greatest


def test_score_accepts_them(program, tmp_path):
    problem, scored = tmp_path / "arch.hdf5", tmp_path / "canonical.hdf5"
    data = repose.Data(repose.scenes.arch(stones=9))
    repose.step(data.model, data)
    data.contact_problem().save(problem)
    for words in (["solve", problem, "--forces", "canonical", "--solution", scored, "--quiet"], ["score", scored, "--strict", "--quiet"]):
        subprocess.run([program, *words], check=True, capture_output=True, timeout=60)
