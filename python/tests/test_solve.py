# SPDX-License-Identifier: Apache-2.0
"""Contact problems from steps, matrices and files, and their solutions."""
import inspect

import numpy as np
import pytest
import scipy.sparse

import repose


@pytest.fixture(scope="module")
def step():
    model = repose.scenes.arch(stones=15)
    data = repose.Data(model)
    repose.step(model, data, n=3)
    return data


def ball():
    """1 kg, 0.1 m, meets the floor at 1 m/s while sliding at 2 m/s: slides on with λ = (−μ, 0, 1)."""
    arm = 0.1
    J = np.array([[1, 0, 0, 0, -arm, 0], [0, 1, 0, arm, 0, 0], [0, 0, 1, 0, 0, 0]], dtype=float)
    return J, np.diag([1, 1, 1, 250.0, 250, 250]), np.array([[2.0, 0, -1]])


def test_the_problem_of_a_step_gives_the_steps_impulses(step):
    problem, contacts = step.contact_problem(), step.contacts
    assert len(problem) == len(contacts) and problem.form == "body"
    assert np.array_equal(problem.solution, contacts["local_impulse"])
    assert np.array_equal(problem.mu, contacts["friction"])
    assert problem.certify(problem.solution).worst < 1e-8
    solution = repose.solve(problem, tol=1e-10)
    assert solution.converged and solution.certificate.worst <= 1e-10
    v = (problem.W @ solution.impulse.ravel()).reshape(-1, 3) + problem.v_free
    assert v == pytest.approx(solution.velocity, abs=1e-10)


def test_several_islands_become_one_problem():
    model = repose.scenes.stack(count=2, stacks=3)
    data = repose.Data(model)
    report = repose.step(model, data)
    assert report.islands == 3
    problem = data.contact_problem()
    assert len(problem) == 24 and repose.solve(problem).converged
    assert problem.certify(data.contacts["local_impulse"]).worst < 1e-8


def test_sliding_ball_in_closed_form_from_any_matrix():
    J, inverse_mass, v_free = ball()
    W = J @ inverse_mass @ J.T
    problems = [repose.problem(J=J, inverse_mass=inverse_mass, v_free=v_free, mu=0.2),
                repose.problem(W=W, v_free=v_free.ravel(), mu=[0.2]),
                repose.problem(W=scipy.sparse.csr_array(W), v_free=v_free, mu=0.2),
                repose.problem(J=scipy.sparse.csc_matrix(J), inverse_mass=scipy.sparse.csc_matrix(inverse_mass),
                               v_free=v_free, mu=0.2)]
    for problem in problems:
        solution = repose.solve(problem, tol=1e-12)
        assert solution.impulse == pytest.approx(np.array([[-0.2, 0, 1]]), abs=1e-10)
        assert solution.velocity == pytest.approx(np.array([[2 - 0.2 * W[0, 0], 0, 0]]), abs=1e-10)


def jacobian(step):
    """J (3n, 6 bodies) and M⁻¹ by body of the arch's last step, from its contacts and masses."""
    model, contacts = step.model, step.contacts
    J = np.zeros((len(contacts), 3, model.nbody, 6))
    inverse = np.zeros((model.nbody, 6, 6))
    for b, kind in enumerate(model.body_kinds):
        if kind == "dynamic":
            inverse[b, range(3), range(3)] = 1 / model.mass[b]
            inverse[b, 3:, 3:] = np.diag(1 / model.principal_inertia[b]) + 0.01 * np.ones((3, 3))  # any will do
    for i, c in enumerate(contacts):
        n = c["normal"]
        t = np.cross(n, [0.3, 0.5, 0.8])
        axes = np.array([t / np.linalg.norm(t), np.cross(n, t) / np.linalg.norm(t), n])
        for b, sign in ((c["body"][0], -1), (c["body"][1], 1)):
            arm = c["position"] - step.position[b]
            J[i, :, b, :3] = sign * axes
            J[i, :, b, 3:] = sign * np.cross(arm, axes)
    return J.reshape(3 * len(contacts), -1), inverse


def test_bodies_that_touch_in_pairs_are_never_multiplied_out(step):
    J, inverse = jacobian(step)
    n, free = len(J) // 3, (J @ np.random.default_rng(3).normal(size=J.shape[1])).reshape(-1, 3)
    dense = np.zeros((len(inverse), 6, len(inverse), 6))
    dense[np.arange(len(inverse)), :, np.arange(len(inverse)), :] = inverse
    dense = dense.reshape(J.shape[1], -1)
    W = J @ dense @ J.T
    formed = repose.problem(W=W, v_free=free, mu=0.5)
    kinds = {"blocks": inverse, "matrix": dense, "sparse": scipy.sparse.coo_array(dense), "bsr": scipy.sparse.bsr_array(dense)}
    for kind, mass in kinds.items():
        for given in (J, scipy.sparse.csr_array(J)):
            made = repose.problem(J=given, inverse_mass=mass, v_free=free, mu=0.5)
            assert made.form == "body" and len(made) == n, kind
            assert abs(made.W.toarray() - W).max() < 1e-12 * abs(W).max()
            solution = repose.solve(made, tol=1e-10)
            assert solution.converged and formed.certify(solution.impulse).worst < 1e-9  # either form says so
    alone = repose.solve(J=J, inverse_mass=inverse, v_free=free, mu=0.5, tol=1e-10)
    assert alone.converged and formed.certify(alone.impulse).worst < 1e-9


def test_other_jacobians_are_multiplied_out():
    rng = np.random.default_rng(5)
    J, free = rng.normal(size=(6, 18)), rng.normal(size=(2, 3))  # contacts of three bodies
    blocks = np.stack([np.eye(6)] * 3)
    three = repose.problem(J=J, inverse_mass=blocks, v_free=free, mu=0.3)
    assert three.form == "body" and three.W.toarray() == pytest.approx(J @ J.T)
    W = three.W.toarray()
    assert repose.solve(three, tol=1e-10).velocity == pytest.approx(repose.solve(W=W, v_free=free, mu=0.3, tol=1e-10).velocity, abs=1e-8)
    many = rng.normal(size=(6, 54))  # nine bodies
    formed = repose.problem(J=many, inverse_mass=np.stack([np.eye(6)] * 9), v_free=free, mu=0.3)
    assert formed.form == "matrix" and formed.W.toarray() == pytest.approx(many @ many.T)
    coupled = np.eye(12)
    coupled[0, 7] = coupled[7, 0] = 0.5
    chain = repose.problem(J=J[:, :12], inverse_mass=coupled, v_free=free, mu=0.3)
    assert chain.form == "matrix" and chain.W.toarray() == pytest.approx(J[:, :12] @ coupled @ J[:, :12].T)
    odd = repose.problem(J=J[:, :7], inverse_mass=np.ones(7), v_free=free, mu=0.3)
    assert odd.form == "matrix" and odd.W.toarray() == pytest.approx(J[:, :7] @ J[:, :7].T)


def test_dense_sparse_and_body_form_agree(step):
    body = step.contact_problem()
    dense = repose.problem(W=body.W.toarray(), v_free=body.v_free, mu=body.mu)
    sparse = repose.problem(W=body.W, v_free=body.v_free, mu=body.mu)
    assert abs(dense.W - body.W).max() == 0 == abs(sparse.W - body.W).max()
    reference = repose.solve(body, tol=1e-10).velocity
    for problem in (dense, sparse):
        assert repose.solve(problem, tol=1e-10).velocity == pytest.approx(reference, abs=1e-6)


@pytest.mark.parametrize("outer, inner", [("auto", "auto"), ("newton", "auto"), ("nsgs", "auto"), ("fbf", "bgs"),
                                          ("picard", "ipm")])
def test_schemes_by_name_with_their_history(step, outer, inner):
    problem = step.contact_problem()
    solution = repose.solve(problem, outer, inner, 1e-6, max_outer=20000)
    assert solution.status == "converged" and solution.outer == outer and solution.certificate.worst <= 1e-6
    history = solution.history
    assert history.dtype == repose.HISTORY and 0 < len(history)
    assert (np.diff(history["iteration"]) > 0).all()
    assert max(history["r_c"][-1], history["nat"][-1]) <= 1e-6
    assert len(repose.solve(problem, outer, inner, 1e-6, max_outer=20000, history=False).history) == 0


def test_the_relaxed_law_is_not_the_exact_one():
    J, inverse_mass, v_free = ball()
    problem = repose.problem(J=J, inverse_mass=inverse_mass, v_free=v_free, mu=0.2)
    relaxed = repose.solve(problem, outer="relaxed")
    assert relaxed.velocity[0, 2] > 0.1  # it lifts off while it slides
    assert repose.solve(problem).velocity[0, 2] == pytest.approx(0, abs=1e-8)


def test_not_converged_is_an_ordinary_result(step):
    solution = repose.solve(step.contact_problem(), "nsgs", tol=1e-14, max_outer=2)
    assert solution.status == "iteration_limit" and not solution.converged and solution.outer_iterations == 2


def test_files_round_trip_and_warm_start(step, tmp_path):
    problem = step.contact_problem()
    problem.save(tmp_path / "step.hdf5")
    stored = repose.Problem.from_file(tmp_path / "step.hdf5")
    assert np.array_equal(stored.solution, problem.solution) and stored.title == problem.title
    solution = repose.solve(tmp_path / "step.hdf5", start=stored.solution)
    assert solution.converged and solution.outer_iterations <= 1
    with pytest.raises(repose.InputError, match="nothing.hdf5"):
        repose.solve(tmp_path / "nothing.hdf5")


@pytest.mark.parametrize("change, error, message", [
    ({"v_free": np.zeros((1, 2))}, ValueError, r"v_free: expected \(n, 3\).*got shape \(1, 2\)"),
    ({"v_free": [[0, 0, np.nan]]}, ValueError, "v_free: contact 0: expected .*got a value that is not finite"),
    ({"mu": -0.1}, ValueError, "mu: expected .*got a value below 0"),
    ({"mu": np.nan}, ValueError, "mu: expected .*got a value below 0 or not finite"),
    ({"W": np.eye(4)}, ValueError, r"W: expected \(3, 3\).*got shape \(4, 4\)"),
    ({"W": np.full((3, 3), np.inf)}, ValueError, "W: expected .*got a value that is not finite"),
    ({"J": np.eye(3)}, TypeError, "either W, or J and inverse_mass"),
    ({"W": None, "J": np.eye(3), "inverse_mass": np.eye(4)}, ValueError, "J, inverse_mass: expected .*got shapes"),
    ({"W": None, "J": np.eye(4), "inverse_mass": np.eye(4)}, ValueError, "J, inverse_mass: expected .*got shapes"),
    ({"W": None, "J": np.full((3, 6), np.nan), "inverse_mass": np.ones(6)}, ValueError, "J: expected .*got a value that is not finite"),
    ({"W": None, "J": np.ones((3, 6)), "inverse_mass": np.full(6, np.inf)}, ValueError, "inverse_mass: expected .*got a value"),
    ({"W": None, "J": np.ones((3, 6)), "inverse_mass": -np.ones(6)}, ValueError, "inverse_mass: expected .*got a negative direction"),
    ({"W": None, "J": np.ones((3, 6)), "inverse_mass": np.triu(np.ones((6, 6)))}, ValueError, "not symmetric"),
])
def test_bad_matrices_are_named(change, error, message):
    good = {"W": np.eye(3), "v_free": np.zeros((1, 3)), "mu": 0.5}
    with pytest.raises(error, match=message):
        repose.problem(**{**good, **change})


def test_bad_starts_are_named(step):
    with pytest.raises(ValueError, match="start: expected .*got 2 contacts"):
        repose.solve(step.contact_problem(), start=np.zeros((2, 3)))
    with pytest.raises(ValueError, match="time_limit"):
        repose.solve(step.contact_problem(), time_limit=-1)


def test_no_step_no_problem(tmp_path):
    model = repose.scenes.stack(count=2)
    data = repose.Data(model)
    assert len(data.contact_problem()) == 0
    repose.step(model, data)
    data.restore(data.checkpoint())
    with pytest.raises(repose.InputError, match="no step since the checkpoint"):
        data.contact_problem()


def test_solve_wants_a_problem_or_matrices():
    with pytest.raises(TypeError, match="either a problem or file, or matrices"):
        repose.solve()
    with pytest.raises(TypeError, match="either a problem or file, or matrices"):
        repose.solve("file.hdf5", W=np.eye(3))
    with pytest.raises(TypeError, match="expected v_free and mu"):
        repose.solve(W=np.eye(3))


@pytest.mark.parametrize("function", [repose.solve, repose.run, repose.rollout])
def test_every_option_of_the_scheme_is_a_keyword(function):
    keywords = inspect.signature(function).parameters
    options = repose.scheme_options()
    assert {option["name"] for option in options} <= set(keywords)
    for option in options:
        default = keywords[option["name"]].default
        assert default is None or default == type(default)(option["default"])


def test_options_of_the_scheme_arrive():
    problem = repose.problem(W=np.diag([1.0, 1, 2]), v_free=[[0.5, 0.25, -1]], mu=0.5)
    plain = repose.solve(problem, "fbf", "bgs", 1e-10, max_outer=5000)
    fast = repose.solve(problem, "fbf", "bgs", 1e-10, max_outer=5000, acceleration=4, safety=5.0, stop="paper")
    assert plain.converged and fast.status == "converged"
    assert fast.velocity == pytest.approx(plain.velocity, abs=1e-8)
    assert fast.outer_iterations < plain.outer_iterations


def test_an_acceptable_answer_ends_a_solve_without_work_left():
    data = repose.Data(repose.scenes.arch(stones=25))
    repose.step(data.model, data)
    stored = data.contact_problem()
    whole = repose.solve(stored, tol=1e-12)
    cut = repose.solve(stored, tol=1e-12, accept=1e-3, budget=1e-6)
    assert whole.converged and cut.status == "accepted" and not cut.converged
    assert 1e-12 < cut.certificate.worst <= 1e-3


def test_sets_make_joints_limits_and_motors() -> None:
    """A particle of 2 kg that lands at 1 m/s with friction while a motor with a force limit drives it to 3 m/s."""
    J = np.vstack([np.eye(3), np.diag([1.0, 0, 0])])
    cones = repose.problem(J=J, inverse_mass=np.full(3, 0.5), v_free=[[0, 0, -1], [-3, 0, 0]], mu=0.5)
    problem = cones.with_sets([repose.Set.cone(0.5), repose.Set.box([-4, 0, 0], [4, 0, 0])])
    assert [s.name for s in problem.sets] == ["Coulomb cone", "box"]
    for outer in ("auto", "newton", "nsgs", "fbf", "padmm"):
        found = repose.solve(problem, outer=outer)
        assert found.status == "converged", outer
        np.testing.assert_allclose(found.impulse, [[-1, 0, 2], [4, 0, 0]], atol=1e-7)
        np.testing.assert_allclose(found.velocity, [[1.5, 0, 0], [-1.5, 0, 0]], atol=1e-7)
    with pytest.raises(repose.InputError, match="staggered: block 1: expected a Coulomb cone"):
        repose.solve(problem, outer="staggered")
    with pytest.raises(repose.InputError, match="lower <= upper"):
        cones.with_sets([repose.Set.cone(0.5), repose.Set.interval(1, -1)])
    soft = cones.with_sets([repose.Set.bilateral().with_compliance([0, 0, 1.5]), repose.Set.interval(0, 0)])
    np.testing.assert_allclose(repose.solve(soft).impulse, [[0, 0, 0.5], [0, 0, 0]], atol=1e-9)
