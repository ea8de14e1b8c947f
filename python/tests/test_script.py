# SPDX-License-Identifier: Apache-2.0
"""Motions that are Python functions: where they may go, and what happens when they fail."""
import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import repose


def table(pose, *, dt=0.01, cube=True):
    """A kinematic plate that moves as `pose` says, with a cube on it."""
    b = repose.ModelBuilder("plate", dt=dt)
    b.add_material("wood", friction=0.8)
    plate = b.add_body((0, 0, 0), name="plate")
    b.add_shape_box(plate, 1, 1, 0.1)
    b.add_motion_script(plate, pose)
    if cube:
        body = b.add_body((0, 0, 0.2), name="cube")
        b.add_shape_box(body, 0.1, 0.1, 0.1)
    return b.finalize()


def lift(t):
    return 0, 0, 0.5 * t, 1, 0, 0, 0


def test_a_cube_is_carried_by_a_function():
    model = table(lift)
    assert model.body_kinds[0] == "kinematic"
    data = repose.Data(model)
    report = repose.step(model, data, n=100)
    assert report.solved and data.position[0, 2] == pytest.approx(0.5, abs=1e-12)
    assert data.position[1, 2] == pytest.approx(0.7, abs=1e-6) and data.velocity[1, 2] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("shape", [lambda p, q: (*p, *q), lambda p, q: (p, q), lambda p, q: np.array([*p, *q]),
                                   lambda p, q: [np.float32(x) for x in (*p, *q)], lambda p, q: (np.array(p), list(q))])
def test_poses_come_in_several_shapes(shape):
    data = repose.Data(table(lambda t: shape((t, 0, 0), (2, 0, 0, 0)), cube=False))
    repose.step(data.model, data, n=10)
    assert data.position[0] == pytest.approx([0.1, 0, 0], abs=1e-7) and data.quaternion[0].tolist() == [1, 0, 0, 0]


def test_a_function_is_asked_once_a_step():
    times = []

    def pose(t):
        times.append(t)
        return lift(t)

    model = table(pose)
    data = repose.Data(model)
    times.clear()
    repose.step(model, data, n=5)
    assert times == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05])


@pytest.mark.parametrize("bad", [None, 3, (1, 2, 3), "seven77", (0, 0, 0, 0, 0, 0, 0), (np.nan, 0, 0, 1, 0, 0, 0),
                                 ((0, 0), (1, 0, 0, 0))])
def test_what_is_no_pose_is_named_and_changes_nothing(bad):
    model = table(lambda t: lift(t) if t < 0.025 else bad)
    data = repose.Data(model)
    repose.step(model, data, n=2)
    before = data.state_hash
    with pytest.raises(repose.InputError, match="body 'plate': motion at 0.03 s: expected .*got") as caught:
        repose.step(model, data)
    assert "\n" not in str(caught.value) and data.state_hash == before and data.steps == 2


def test_what_a_function_raises_comes_out_and_changes_nothing():
    fails = [True]

    def pose(t):
        if t > 0.025 and fails[0]:
            raise KeyError("no such pose")
        return lift(t)

    model = table(pose)
    data, other = repose.Data(model), repose.Data(model)
    with pytest.raises(KeyError, match="no such pose"):
        repose.step(model, data, n=10)
    assert data.steps == 2
    fails[0] = False
    repose.step(model, data, n=8)
    repose.step(model, other, n=10)
    assert data.state_hash == other.state_hash


def test_no_function_no_motion():
    b = repose.ModelBuilder()
    body = b.add_body()
    b.add_shape_sphere(body, 0.1)
    with pytest.raises(TypeError):
        b.add_motion_script(body, 3)
    with pytest.raises(repose.InputError, match="body: expected .*got 7"):
        b.add_motion_script(7, lift)


@pytest.mark.parametrize("act", [pickle.dumps, copy.deepcopy, lambda m: pickle.dumps(repose.Data(m)), lambda m: m.to_json()])
def test_functions_do_not_travel(act):
    with pytest.raises(ValueError, match="body 'plate': motion: expected .*got a Python function, which cannot be"):
        act(table(lift))


def test_sweeps_refuse_models_with_functions_and_take_functions_that_make_them():
    import concurrent.futures as futures

    with pytest.raises(repose.InputError, match="Python function"), futures.ProcessPoolExecutor(1) as pool:
        pool.submit(repose.run, table(lift), steps=1).result()


@pytest.mark.parametrize("nthread", [1, 3])
def test_rollouts_take_turns_with_the_function(nthread):
    model = table(lift)
    result = repose.rollout(model, nstep=30, nbatch=6, nthread=nthread)
    data = repose.Data(model)
    for k in range(30):
        repose.step(model, data)
        assert (result.states[:, k] == data.state).all()


def test_a_function_that_fails_ends_a_rollout():
    def pose(t):
        if t > 0.1:
            raise RuntimeError("out of the track")
        return lift(t)

    with pytest.raises(RuntimeError, match="out of the track"):
        repose.rollout(table(pose), nstep=30, nbatch=4, nthread=2)


def test_two_threads_with_one_function():
    model = table(lift)
    hashes = []

    def work():
        data = repose.Data(model)
        for _ in range(50):
            repose.step(model, data)
        hashes.append(data.state_hash)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hashes) == 2 and len(set(hashes)) == 1


def test_functions_are_let_go():
    class Pose:
        def __call__(self, t):
            return lift(t)

    pose = Pose()
    gone = weakref.ref(pose)
    model = table(pose)
    data = repose.Data(model)
    repose.step(model, data, n=3)
    repose.rollout(model, nstep=2, nbatch=4, nthread=2)
    del pose, model
    gc.collect()
    assert gone() is not None
    del data
    gc.collect()
    assert gone() is None


def test_checkpoints_and_recordings_of_scripted_runs(tmp_path):
    model = table(lift)
    data, other = repose.Data(model), repose.Data(model)
    repose.step(model, data, n=10)
    data.save(tmp_path / "here")
    other.load(tmp_path / "here")
    assert repose.step(model, other, n=5).step == repose.step(model, data, n=5).step == 15
    assert other.state_hash == data.state_hash
    repose.run(model, steps=20, record=tmp_path / "run.h5")
    recording = repose.Recording(tmp_path / "run.h5")
    assert recording.scene_json == "" and recording.check()[1]
    with pytest.raises(repose.InputError, match="data of another model"):
        repose.step(table(lift), data)


def test_controls_drive_kinematic_bodies():
    """A plate that speeds up to 1 m/s and turns: the same as a function that goes where the rollout says it went."""
    model = table(lambda t: (5, 5, 5, 1, 0, 0, 0))  # what the model says does not count
    start = repose.Data(table(lift)).state.copy()
    controls = np.zeros((3, 60, model.nbody, 6))
    controls[:, :, 0, 0] = np.linspace(0, 1, 60) * np.array([0.2, 0.5, 1])[:, None]
    controls[:, :, 0, 5] = np.array([0, 0.5, -1])[:, None]
    result = repose.rollout(model, start, nstep=60, controls=controls, nthread=2)
    states = result.states.reshape(3, 60, 2, 13)
    assert not any(result.broken) and result.residual.max() <= 1e-8
    assert states[:, -1, 0, 0] == pytest.approx(0.01 * controls[:, :, 0, 0].sum(axis=1), abs=1e-12)
    angle = 0.6 * controls[:, 0, 0, 5]
    assert states[:, -1, 0, 6] == pytest.approx(np.sin(angle / 2), abs=1e-12)
    assert (states[:, -1, 1, 0] > 0.9 * states[:, -1, 0, 0]).all()  # friction takes the cube along
    for k in range(3):
        alone = repose.rollout(model, start, nstep=60, controls=controls[k:k + 1], nthread=1)
        assert (alone.states[0] == result.states[k]).all()
        poses = np.vstack([start.reshape(2, 13)[0, :7], states[k, :, 0, :7]])
        one = table(lambda t: poses[round(t / 0.01)])
        data = repose.Data(one)
        repose.step(one, data, n=60)
        assert data.state == pytest.approx(result.states[k, -1], abs=1e-9)


@pytest.mark.parametrize("change, message", [
    (lambda c: c[:, :, :, :5], r"controls: expected .*got shape \(1, 4, 2, 5\)"),
    (lambda c: c[0], r"controls: expected .*got shape \(4, 2, 6\)"),
    (lambda c: c * np.nan, "controls: body 'plate': expected .*got a value that is not finite"),
    (lambda c: c + 1, "controls: body 'cube': expected .*got a velocity for a body that is not kinematic"),
])
def test_bad_controls_are_value_errors(change, message):
    with pytest.raises(ValueError, match=message):
        repose.rollout(table(lift), nstep=4, controls=change(np.zeros((1, 4, 2, 6))))
