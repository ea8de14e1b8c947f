# SPDX-License-Identifier: Apache-2.0
"""Stepping, views of the state, contacts, checkpoints, threads, pickling."""
import copy
import gc
import pickle
import resource
import threading

import numpy as np
import pytest

import repose


@pytest.fixture
def stack():
    model = repose.scenes.stack(count=3)
    return model, repose.Data(model)


def falling_ball():
    builder = repose.ModelBuilder("ball", dt=0.01)
    builder.add_shape_sphere(builder.add_body((0, 0, 100), name="ball"), 0.1)
    return builder.finalize()


def test_free_fall_is_semi_implicit_euler():
    model = falling_ball()
    data = repose.Data(model)
    report = repose.step(model, data, n=10)
    assert report.step == 10 and data.steps == 10
    assert data.time == pytest.approx(0.1)
    assert data.velocity[0, 2] == pytest.approx(-9.81 * 0.1, rel=1e-14)
    assert data.position[0, 2] == pytest.approx(100 - 9.81 * 0.01 * 0.01 * 55, rel=1e-14)


def test_many_steps_are_single_steps(stack):
    model, data = stack
    one = repose.Data(model)
    data.velocity[1:] = 0.3
    one.velocity[1:] = 0.3
    repose.step(model, data, n=30)
    for _ in range(30):
        repose.step(model, one)
    assert one.state_hash == data.state_hash


def test_views_share_one_memory(stack):
    model, data = stack
    assert data.state.shape == (13 * model.nbody,) == (model.nstate,)
    assert data.qpos.shape == (model.nbody, 7) and data.qvel.shape == (model.nbody, 6)
    for view in (data.qpos, data.qvel, data.position, data.quaternion, data.velocity, data.angular_velocity):
        assert np.shares_memory(view, data.state)
    data.position[2] = (1, 2, 30)
    data.velocity[2, 0] = 5
    assert data.state[26:29].tolist() == [1, 2, 30] and data.qvel[2, 0] == 5


def test_views_see_steps_and_writing_moves_bodies():
    model = falling_ball()
    data = repose.Data(model)
    position = data.position
    data.velocity[0] = (2, 0, 0)
    repose.step(model, data, n=100)
    assert position[0, 0] == pytest.approx(2.0)


def test_views_outlive_their_data(stack):
    model, data = stack
    repose.step(model, data, n=5)
    expected = data.state.copy()
    view = data.state
    del data
    gc.collect()
    assert np.array_equal(view, expected)


def test_quaternions_are_made_unit_and_nan_is_refused(stack):
    model, data = stack
    data.quaternion[1] = (2, 0, 0, 0)
    repose.step(model, data)
    assert data.quaternion[1].tolist() == pytest.approx([1, 0, 0, 0])
    data.velocity[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"body '.*': velocity: expected finite numbers, got one that is not"):
        repose.step(model, data)
    data.velocity[2, 1] = 0
    data.quaternion[1] = 0
    with pytest.raises(repose.InputError, match="quaternion"):
        repose.step(model, data)


def test_forces_act_until_changed():
    model = falling_ball()
    data = repose.Data(model)
    data.force[0] = -model.mass[0] * np.array(model.gravity)
    repose.step(model, data, n=20)
    assert data.velocity[0, 2] == pytest.approx(0, abs=1e-12)
    data.force[:] = 0
    repose.step(model, data)
    assert data.velocity[0, 2] < -0.09


def test_forces_on_fixed_bodies_are_refused(stack):
    model, data = stack
    data.force[model.body("ground")] = 1
    with pytest.raises(repose.InputError, match="'ground': force"):
        repose.step(model, data)


def test_contacts_carry_the_weight(stack):
    model, data = stack
    repose.step(model, data, n=10)
    contacts = data.contacts
    assert contacts.dtype == repose.CONTACT and len(contacts) == 12
    assert all(repose.MODES[m] == "stick" for m in contacts["mode"])
    ground = contacts[contacts["body"][:, 0] == model.body("ground")]
    assert ground["impulse"].sum(axis=0) == pytest.approx([0, 0, 9.81 * model.mass.sum() * model.dt], abs=1e-6)
    assert np.allclose(np.abs(ground["normal"]), (0, 0, 1))
    assert data.contact_force("ground")[2] == pytest.approx(-9.81 * model.mass.sum(), rel=1e-9)
    assert data.certificate.solved(1e-8) and data.report.solved
    assert data.certificate.worst == max(data.certificate.r_c, data.certificate.nat)


def test_sliding_contacts_say_so():
    model = repose.scenes.incline(mu=0.1, slope=0.5)
    data = repose.Data(model)
    repose.step(model, data, n=20)
    contacts = data.contacts
    assert len(contacts) == 4 and {repose.MODES[m] for m in contacts["mode"]} == {"slip"}
    tangential = np.linalg.norm(contacts["local_impulse"][:, :2], axis=1)
    assert tangential == pytest.approx(0.1 * contacts["local_impulse"][:, 2], rel=1e-6)


def test_checkpoints_continue_bit_for_bit(tmp_path):
    model = repose.scenes.arch(stones=7, projectiles=True)
    data = repose.Data(model)
    repose.step(model, data, n=20)
    data.save(tmp_path / "at20")
    view = data.state
    repose.step(model, data, n=30)
    end = data.state_hash
    data.load(tmp_path / "at20")
    assert data.steps == 20 and np.shares_memory(view, data.state)
    repose.step(model, data, n=30)
    assert data.state_hash == end
    other = repose.Data(repose.scenes.arch(stones=9))
    with pytest.raises(repose.InputError, match="checkpoint: scene: expected one of .*got one of another scene"):
        other.load(tmp_path / "at20")
    with pytest.raises(repose.InputError, match="no such file"):
        data.load(tmp_path / "nothing")
    (tmp_path / "broken").write_bytes((tmp_path / "at20").read_bytes()[:200])
    with pytest.raises(repose.InputError, match="checkpoint: expected a complete file"):
        data.load(tmp_path / "broken")
    assert data.state_hash == end


def test_reset_starts_again(stack):
    model, data = stack
    start = data.state_hash
    view = data.position
    data.force[1] = 1e3
    repose.step(model, data, n=20)
    moved = data.state_hash
    data.reset()
    assert data.state_hash == start != moved and data.time == 0 and not data.force.any()
    assert np.shares_memory(view, data.position)


def test_model_and_data_pickle_and_copy(stack):
    model, data = stack
    data.force[2, 0] = 500
    repose.step(model, data, n=7)
    again_model, again = pickle.loads(pickle.dumps((model, data)))
    clone = copy.deepcopy(data)
    for one, its_model in ((data, model), (again, again_model), (clone, model)):
        repose.step(its_model, one, n=13)
    assert again.state_hash == clone.state_hash == data.state_hash
    assert again_model.to_json() == model.to_json()


def test_data_of_another_model_is_refused(stack):
    model, data = stack
    with pytest.raises(repose.InputError, match="data of another model"):
        repose.step(repose.scenes.stack(count=4), data)


def test_two_threads_step_two_datas():
    model = repose.scenes.arch(stones=15)
    alone = repose.Data(model)
    repose.step(model, alone, n=200)
    datas = [repose.Data(model) for _ in range(2)]

    def work(data):
        for _ in range(20):
            repose.step(model, data, n=10)

    threads = [threading.Thread(target=work, args=(d,)) for d in datas]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {d.state_hash for d in datas} == {alone.state_hash}


def test_stepping_lets_other_threads_run():
    model = repose.scenes.pile(seed=3)
    data = repose.Data(model, warm_start=False)
    ticks, done = [0], threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks[0]
    repose.step(model, data, n=40)  # one call: nothing else gets a turn unless the lock is released in it
    during = ticks[0] - before
    done.set()
    thread.join()
    assert during > 5


def test_one_data_in_two_threads_is_an_error():
    model = repose.scenes.pile()
    data = repose.Data(model, warm_start=False)
    thread = threading.Thread(target=lambda: repose.step(model, data, n=60))
    thread.start()
    refused = False
    while thread.is_alive() and not refused:
        try:
            repose.step(model, data)
        except RuntimeError as error:
            refused = "data: expected one thread at a time" in str(error)
    thread.join()
    assert refused


def test_breakdown_keeps_the_last_good_state():
    model = falling_ball()
    data = repose.Data(model)
    repose.step(model, data, n=3)
    data.velocity[0] = (1e300, 0, 0)
    before = data.state.copy()
    with pytest.raises(repose.BrokenRunError, match="the numbers broke down in the step after 0.03 s: a force throws a body out of the scene"):
        repose.step(model, data)
    assert np.array_equal(data.state, before) and data.steps == 3


@pytest.mark.filterwarnings("ignore:step .* not solved:RuntimeWarning")
def test_unsolved_steps_are_counted_not_hidden():
    model = repose.scenes.arch(stones=25)
    data = repose.Data(model, outer="nsgs", max_outer=1, tol=1e-12, accept=0)
    report = repose.step(model, data, n=5)
    assert report.status == "unsolved" and not report.solved and data.unsolved_steps == 5 and data.accepted_steps == 0


def test_accepted_steps_are_counted_apart():
    model = repose.scenes.arch(stones=25)
    data = repose.Data(model, outer="nsgs", max_outer=1, tol=1e-12, accept=100)
    report = repose.step(model, data, n=5)
    assert report.status == "accepted" and not report.solved and report.accepted_islands == 1
    assert data.accepted_steps == 5 and data.unsolved_steps == 0
    data.reset()
    assert data.accepted_steps == 0
    report = repose.step(model, repose.Data(model))
    assert report.solved and report.status == "solved" and report.work > 0


@pytest.mark.parametrize("options, message", [
    ({"outer": "magic"}, "outer: expected auto, newton, fbf.*got 'magic'"),
    ({"inner": "bgs"}, "inner: expected .*got 'bgs' with outer auto"),
    ({"gamma": 1.0}, "gamma: expected with fbf only.*got '1' with outer auto"),
    ({"outer": "fbf", "gamma": 1.0, "safety": 0.5}, "safety: expected .*got '0.5' with gamma"),
    ({"tol": 0.0}, "tol: expected > 0.*got '0'"),
    ({"tol": float("nan")}, "tol: expected > 0.*got 'nan'"),
    ({"threads": 0}, "threads: expected 1 or more, got 0"),
    ({"max_outer": 0}, "max_outer: expected a whole number, 1 .*got '0'"),
])
def test_bad_options_are_value_errors(options, message):
    with pytest.raises(ValueError, match=message):
        repose.Data(repose.scenes.stack(), **options)


def test_wrong_types_are_type_errors(stack):
    model, data = stack
    with pytest.raises(TypeError):
        repose.step(model, "data")
    with pytest.raises(TypeError):
        repose.step(model, data, n=1.5)
    with pytest.raises(TypeError):
        repose.Data(model, tolerance=1e-6)
    with pytest.raises(TypeError, match="max_outer: expected a whole number.*got 1.5"):
        repose.Data(model, max_outer=1.5)
    with pytest.raises(TypeError, match="outer: expected a text.*got 3"):
        repose.Data(model, outer=3)
    with pytest.raises(ValueError, match="n: expected >= 0.*got -1"):
        repose.step(model, data, n=-1)


def test_ten_thousand_datas_leave_no_memory_behind():
    builder = repose.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_box(builder.add_body((0, 0, 0.5)), 0.5, 0.5, 0.5)
    model = builder.finalize()

    def use(times):
        for _ in range(times):
            data = repose.Data(model)
            repose.step(model, data)
            data.state, data.contacts, data.report

    use(2000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    use(10000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048  # KiB


def beam_on_blocks():
    b = repose.ModelBuilder("beam")
    b.add_ground_plane()
    for place in range(3):
        b.add_shape_box(b.add_body((0.4 * place, 0, 0.05)), 0.05, 0.05, 0.05)
    beam = b.add_body((0.4, 0, 0.125), name="beam")
    b.add_shape_box(beam, 0.45, 0.05, 0.025)
    model = b.finalize()
    data = repose.Data(model)
    repose.step(model, data, n=30)
    return data, beam


def test_canonical_forces_are_symmetric_and_balance():
    data, beam = beam_on_blocks()
    canonical, solver = data.contact_forces(), data.contact_forces("solver")
    assert canonical.shape == solver.shape == (len(data.contacts), 3)
    sign = np.where(data.contacts["body"][:, 1] == beam, 1, -1)[:, None]
    mine = (data.contacts["body"] == beam).any(axis=1)
    for forces in ("canonical", "solver"):
        assert data.contact_force(beam, forces=forces) == pytest.approx([0, 0, 44.145], abs=1e-6)
        total = (sign * data.contact_forces(forces))[mine].sum(axis=0)
        assert data.contact_force("beam", forces=forces) == pytest.approx(total, abs=1e-12)
        assert np.array_equal(data.contact_force(forces=forces)[beam], data.contact_force(beam, forces=forces))
    place, up = data.contacts["position"], np.abs(canonical[:, 2])
    for k, (x, y, z) in enumerate(place):
        twin = np.linalg.norm(place - (0.8 - x, y, z), axis=1).argmin()
        assert up[k] == pytest.approx(up[twin], abs=1e-5)
    for wrong in (lambda: data.contact_forces("mine"), lambda: data.contact_force(beam, forces="mine")):
        with pytest.raises(repose.InputError, match="forces: expected solver or canonical, got 'mine'"):
            wrong()
    for body, got in ((-1, "got -1"), (99, "got 99"), ("bean", "got 'bean'")):
        with pytest.raises(repose.InputError, match=f"body: expected .*{got}"):
            data.contact_force(body)


def test_what_a_body_between_immovable_ones_carries_is_canonical():
    """A cube between two walls that touch it: any pressing is admissible. The sum on the cube is not in doubt, that on walls and
    ground is. Least norm: with g at each of 4 points of the ground and (2 t, t) at each of 8 of the walls (friction 1/2),
    4 g² + 40 t² is least for 4 g + 8 t = W at g = 5 t = 5 W/28."""
    b = repose.ModelBuilder("between walls")
    walls = [b.add_body((side * 0.1, 0, 0), name=f"wall {side}", kind="static") for side in (-1, 1)]
    for wall in walls:
        b.add_shape_box(wall, 0.05, 0.2, 0.2)
    b.add_ground_plane()
    cube = b.add_body((0, 0, 0.05), name="cube")
    b.add_shape_box(cube, 0.05, 0.05, 0.05)
    data = repose.Data(b.finalize())
    repose.step(data.model, data, n=30)
    for forces in ("canonical", "solver"):
        assert data.contact_force(cube, forces) == pytest.approx([0, 0, 9.81], abs=1e-6)
    assert data.contact_force(2) == pytest.approx([0, 0, -9.81 * 5 / 7], abs=1e-6)
    for wall, sign in zip(walls, (-1, 1)):
        assert data.contact_force(wall) == pytest.approx([sign * 9.81 * 2 / 7, 0, -9.81 / 7], abs=1e-6)
        assert data.force_range(bodies=(wall, "cube")) == (pytest.approx(0, abs=1e-6), np.inf)


def test_force_range():
    data, beam = beam_on_blocks()
    least, greatest = data.force_range(bodies=(2, beam))
    weight = 0.9 * 0.1 * 0.05 * 1000 * 9.81
    assert least == pytest.approx(0, abs=1e-3) and greatest == pytest.approx(weight, rel=1e-3)
    assert data.force_range(bodies=("beam", 2)) == data.force_range(bodies=(2, beam))
    assert data.force_range(contact=0)[0] >= -1e-6
    with pytest.raises(repose.InputError, match="body: expected 0 .. 4 or a name, got 99"):
        data.force_range(bodies=(0, 99))
    with pytest.raises(repose.InputError, match="expected contact or bodies, got neither"):
        data.force_range()
