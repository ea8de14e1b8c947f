# SPDX-License-Identifier: Apache-2.0
"""The two checkers of recordings, in C++ and in NumPy, share no code and give the same numbers."""

import numpy as np
import pytest

import repose

h5py = pytest.importorskip("h5py")
from numpy_checker import check_recording


@pytest.mark.parametrize("model", [repose.scenes.arch(stones=9), repose.scenes.incline(mu=0.3),
                                   repose.scenes.turntable(), repose.scenes.dominoes()], ids=lambda m: m.name)
def test_both_checkers_give_the_same_residuals(model, tmp_path):
    path = tmp_path / "run.h5"
    repose.run(model, time=0.4, record=path)
    worst, follows = repose.Recording(path).check()
    with h5py.File(path, "r") as f:
        results = np.array([check_recording.check_step(f, k) for k in range(len(f["/steps/status"]))])
        stored, recovery = f["/steps/certificate"][:], f["/steps/recovery_residual"][:]
    r_c, nat, velocities, centres, residual, displaced = results.T
    assert follows
    assert np.allclose(max(r_c.max(), nat.max()), worst, rtol=0.05, atol=1e-14)
    assert np.allclose(r_c, stored[:, :3].max(axis=1), rtol=0.05, atol=1e-13)
    assert np.allclose(nat, stored[:, 3], rtol=0.05, atol=1e-13)
    assert velocities.max() < 1e-12
    assert centres.max() < 1e-10
    assert np.allclose(residual, recovery, rtol=0.05, atol=1e-11)
    assert recovery.max() <= 1e-8
    assert displaced.max() < 1e-10


def test_a_changed_impulse_shows(tmp_path):
    path = tmp_path / "run.h5"
    repose.run(repose.scenes.arch(stones=9), time=0.1, record=path)
    with h5py.File(path, "r+") as f:
        f["/contacts/impulse"][0] *= 1 + 1e-6
        r_c, nat, velocities, *_ = check_recording.check_step(f, 0)
    assert velocities > 1e-9
    assert max(r_c, nat) > 1e-8
