# SPDX-License-Identifier: Apache-2.0
"""run(), rollout() and recordings."""
import json
import subprocess

import numpy as np
import pytest

import repose


def test_run_is_the_summary_of_the_command_line(tmp_path, program):
    out = tmp_path / "run.json"
    subprocess.run([program, "run", "arch", "--set", "stones=9", "--time", "0.5", "--json", out, "--quiet"], check=True)
    typed = json.loads(out.read_text())
    called = repose.run("arch", stones=9, time=0.5).to_dict()
    assert called.keys() == typed.keys()
    for part in ("ms_per_step", "peak_memory_mib"):
        assert type(called.pop(part)) is type(typed.pop(part))
    assert called == typed  # state_hash included


def test_the_summary_reads_by_attribute():
    run = repose.run("stack", count=3, steps=30)
    assert run.steps == 30 and run.residual.r_c.max < 1e-8 and run["bodies"]["dynamic"] == 3
    assert run.data.steps == 30 and run.data.state_hash == run.state_hash
    assert "residual" in dir(run) and set(run) >= {"final", "energy"}
    with pytest.raises(AttributeError, match="expected repose, scene"):
        run.speed


def test_accepted_steps_of_a_run(tmp_path):
    """Without any work to spend, a step is taken as soon as it is acceptable."""
    run = repose.run("pile", count=12, steps=60, budget=1e-6, record=tmp_path / "pile.h5")
    residual = run.residual
    assert run.solver.accept == 1e-4 and run.solver.budget == 1e-6
    assert residual.accepted_share == len(residual.accepted_steps) / 60 > 0 and residual.unsolved_steps == []
    assert residual.shares["1e-4"] == 1 and residual.shares["1e-8"] == residual.solved_share < 1
    assert "accepted" in repr(run)
    recording = repose.Recording(tmp_path / "pile.h5")
    assert recording.accept == 1e-4
    status = recording.to_numpy()["status"]
    assert (np.flatnonzero(status == 4) + 1).tolist() == residual.accepted_steps and set(status) <= {0, 4}
    with pytest.raises(repose.InputError, match="accept: expected 0, or tol"):
        repose.run("pile", steps=1, accept=1e-9)
    alone = repose.rollout(repose.scenes.pile(count=12), nstep=60, budget=1e-6)
    assert alone.residual.max() == pytest.approx(max(residual.r_c.max, residual.nat.max))


def test_run_takes_models_files_and_settings(tmp_path):
    model = repose.scenes.incline(mu=0.2)
    (tmp_path / "slope.json").write_text(model.to_json())
    by_model = repose.run(model, time=0.2, dt=0.01, gravity=(0, 0, -5), outer="newton")
    by_file = repose.run(tmp_path / "slope.json", time=0.2, dt=0.01, gravity=(0, 0, -5), outer="newton")
    assert by_model.state_hash == by_file.state_hash and by_model.steps == 20 and by_model.solver.outer == "newton"
    with pytest.raises(TypeError, match="built-in scenes only"):
        repose.run(model, mu=0.3)
    with pytest.raises(TypeError, match="time or steps"):
        repose.run(model, time=1, steps=1)
    with pytest.raises(repose.InputError, match="scene: expected .*got 'atlantis'"):
        repose.run("atlantis")
    with pytest.raises(ValueError, match="time: expected .*got nan"):
        repose.run(model, time=float("nan"))


def test_recordings_come_back_as_arrays(tmp_path):
    run = repose.run("incline", mu=0.1, time=0.5, record=tmp_path / "slide.h5")
    recording = repose.Recording(tmp_path / "slide.h5")
    arrays = recording.to_numpy()
    assert len(recording) == run.steps and arrays["time"].shape == (run.steps + 1,)
    assert np.array_equal(arrays["position"][-1], run.data.position)
    assert np.array_equal(arrays["quaternion"][-1], run.data.quaternion)
    assert arrays["position"].shape == (run.steps + 1, len(recording.body_names), 3)
    assert (arrays["slip"] == arrays["contacts"]).all() and arrays["r_c"].max() == run.residual.r_c.max
    worst, agrees = recording.check()
    assert agrees and worst <= 1e-8
    frame = recording.to_pandas()
    assert len(frame) == run.steps and frame["time"].iloc[-1] == pytest.approx(run.time)
    with pytest.raises(repose.InputError, match="nothing.h5"):
        repose.Recording(tmp_path / "nothing.h5")


def varied():
    model = repose.scenes.incline(slope=0.5)
    cube = model.body_kinds.index("dynamic")
    start = np.tile(repose.Data(model).state, (6, 1))
    start[:, 13 * cube + 7] = np.linspace(0, 1, 6)
    return model, cube, start


@pytest.mark.parametrize("nthread", [1, 2, 5])
def test_a_rollout_is_its_worlds_one_by_one(nthread):
    model, cube, start = varied()
    mu = np.linspace(0.1, 0.9, 6)
    forces = np.zeros((6, 20, model.nbody, 6))
    forces[:, :, cube, 0] = np.linspace(-100, 100, 20)
    mass = np.full((6, model.nbody), np.nan)
    mass[:, cube] = np.linspace(500, 2000, 6)
    result = repose.rollout(model, start, nstep=20, forces=forces, parameters={"friction": mu, "mass": mass},
                            nthread=nthread)
    assert result.states.shape == (6, 20, model.nstate) and result.residual.max() <= 1e-8 and not any(result.broken)
    for k in range(6):
        one = model.replace(friction=mu[k], mass={cube: mass[k, cube]})
        data = repose.Data(one)
        data.state[:] = start[k]
        for s in range(20):
            data.force[cube] = forces[k, s, cube, :3]
            repose.step(one, data)
            assert np.array_equal(data.state, result.states[k, s])


def test_rollout_of_several_models_and_shared_rows():
    models = [repose.scenes.incline(mu=mu) for mu in (0.2, 0.8)]
    result = repose.rollout(models, nstep=30)
    cube = models[0].body_kinds.index("dynamic")
    speed = np.linalg.norm(result.states.reshape(2, 30, -1, 13)[:, -1, cube, 7:10], axis=1)
    assert speed[0] > 0.5 and speed[1] < 1e-6
    assert repose.rollout(models[0], nstep=5, nbatch=3).states.shape == (3, 5, models[0].nstate)


def test_a_world_that_breaks_is_said_and_the_others_go_on():
    model, cube, start = varied()
    start[2, 13 * cube + 7] = 1e300
    result = repose.rollout(model, start, nstep=4)
    assert "throws a body out of the scene" in result.broken[2] and np.isnan(result.states[2]).all()
    assert not any(result.broken[k] for k in (0, 1, 3, 4, 5)) and np.isfinite(result.states[3]).all()


@pytest.mark.parametrize("change, message", [
    ({"initial_states": np.zeros((2, 5))}, "initial_states: expected .*got rows of 5 numbers"),
    ({"initial_states": np.full((2, 26), np.nan)}, "world 0: body '.*': position: expected finite numbers, got one that is not"),
    ({"forces": np.zeros((2, 3, 2, 5))}, r"forces: expected .*got shape \(2, 3, 2, 5\)"),
    ({"forces": np.zeros((2, 3))}, r"forces: expected .*got shape \(2, 3\)"),
    ({"parameters": {"colour": [1, 2]}}, "parameters: expected .*got 'colour'"),
    ({"parameters": {"friction": [0.1, 0.2, 0.3]}}, "nbatch: expected .*got 2 and 3 worlds"),
    ({"parameters": {"friction": [0.1, -0.2]}}, "friction"),
    ({"nstep": -1}, "nstep: expected .*got -1"),
    ({"nthread": -1}, "nthread: expected .*got -1"),
])
def test_bad_rollouts_are_value_errors(change, message):
    model = repose.scenes.incline()
    start = np.tile(repose.Data(model).state, (2, 1))
    with pytest.raises(ValueError, match=message):
        repose.rollout(model, **{"initial_states": start, "nstep": 3, **change})
