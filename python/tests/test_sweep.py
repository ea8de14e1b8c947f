# SPDX-License-Identifier: Apache-2.0
"""Sweeps: on processes, threads and Ray; results kept; workers that die."""
import concurrent.futures as futures
import os
from pathlib import Path

import numpy as np
import pytest

import repose


def slope(mu, marks=None, die=()):
    """A cube on a slope of 0.5. Leaves a mark per run; the first run with a μ of `die` kills its worker."""
    if marks:
        mark = Path(marks) / f"{mu:.2f}-{os.getpid()}-{len(list(Path(marks).iterdir()))}"
        first = not list(Path(marks).glob(f"{mu:.2f}-*"))
        mark.touch()
        if mu in die and first:
            os._exit(1)
    return repose.scenes.incline(mu=mu, slope=0.5)


def always_dies(mu):
    os._exit(1)


def speed(run):
    return run.final[0]["last_second_speed"]


MU = [0.3, 0.45, 0.55, 0.8]
SLIDES = [True, True, False, False]


def test_threshold_of_the_incline_on_local_processes():
    result = repose.sweep("incline", {"mu": np.array(MU), "yaw": [0, 30]}, time=0.5, slope=0.5, progress=False)
    assert result.shape == (4, 2) and len(result) == 8
    assert result.parameters[1] == {"slope": 0.5, "mu": 0.3, "yaw": 30}
    assert (result.array("final.0.last_second_speed") > 1e-3).tolist() == [[s, s] for s in SLIDES]
    assert (result.array("residual.r_c.max") <= 1e-8).all()
    alone = repose.run("incline", time=0.5, slope=0.5, mu=0.45, yaw=30)
    assert result.results[3]["state_hash"] == alone.state_hash


def test_results_are_kept_and_a_restarted_sweep_continues(tmp_path):
    marks, folder = tmp_path / "marks", tmp_path / "kept"
    marks.mkdir()
    common = {"folder": folder, "measure": speed, "time": 0.2, "progress": False, "marks": str(marks)}
    with futures.ThreadPoolExecutor(1) as pool:
        repose.sweep(slope, {"mu": MU[:2]}, executor=pool, **common)
        assert len(list(marks.iterdir())) == 2 == len(list(folder.iterdir()))
        both = repose.sweep(slope, {"mu": MU}, executor=pool, **common)
        assert len(list(marks.iterdir())) == 4
        again = repose.sweep(slope, {"mu": MU}, executor=pool, **common)
        assert len(list(marks.iterdir())) == 4 and again.results == both.results
        repose.sweep(slope, {"mu": MU}, executor=pool, **{**common, "time": 0.1})
        assert len(list(marks.iterdir())) == 8


def test_a_worker_that_dies_is_replaced(tmp_path):
    result = repose.sweep(slope, {"mu": MU}, marks=str(tmp_path), die=[0.45], measure=speed, time=0.5, progress=False)
    assert (result.array(lambda s: s) > 1e-3).tolist() == SLIDES
    assert len(list(tmp_path.glob("0.45-*"))) >= 2


def test_workers_that_always_die_end_the_sweep():
    with pytest.raises(RuntimeError, match="expected results of 2 more runs, got workers that died 2 times"):
        repose.sweep(always_dies, {"mu": [0.1, 0.2]}, retries=1, progress=False)


def test_bad_parameters_end_it_with_their_own_error():
    with futures.ThreadPoolExecutor(1) as pool, pytest.raises(repose.InputError, match="mu: expected .*got '-1'"):
        repose.sweep("incline", {"mu": [0.5, -1]}, executor=pool, steps=1, progress=False)


def test_two_workers_of_a_local_ray():
    ray = pytest.importorskip("ray")
    from repose.ray import RayExecutor

    executor = RayExecutor(num_cpus=2, include_dashboard=False, runtime_env={"env_vars": {
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(Path(repose.__path__[0]).parent)])}})
    try:
        result = repose.sweep("incline", {"mu": MU}, executor=executor, time=0.5, slope=0.5, progress=False)
        assert (result.array("final.0.last_second_speed") > 1e-3).tolist() == SLIDES
        workers = {job.result() for job in [executor.submit(_slow_pid) for _ in range(4)]}
        assert len(workers) == 2 and os.getpid() not in workers
    finally:
        executor.shutdown()
    assert not ray.is_initialized()


def _slow_pid():
    import time

    time.sleep(0.3)
    return os.getpid()
