# SPDX-License-Identifier: Apache-2.0
"""Mechanisms of textbooks against closed forms and accurate solutions of their equations of motion, with the order of the
errors; bench/python/mechanisms.py makes the tables from the same descriptions."""
import sys
from pathlib import Path

import numpy as np
import pytest

import repose

pytest.importorskip("scipy")
FOLDER = Path(__file__).resolve().parents[2] / "bench" / "python"
if not FOLDER.is_dir():
    pytest.skip("needs the repository's bench/python", allow_module_level=True)
sys.path.append(str(FOLDER))
from textbook import axis_cases, planar, planar_cases, spatial_cases  # noqa: E402


def order(coarse, fine):
    return np.log2(coarse / fine)


def solved(data):
    return data.unsolved_steps == 0 and data.accepted_steps == 0


def test_a_pendulum_has_the_period_of_the_elliptic_integral():
    mechanism, errors = planar_cases.pendulum(1.0), []
    exact = spatial_cases.pendulum_period(1.0, (1 / 3) / (9.81 * 0.5))
    for dt in (0.02, 0.01):
        data, angles = repose.Data(mechanism.model(dt)), []
        for _ in range(round(4.2 * exact / dt)):
            repose.step(data.model, data)
            angles.append(data.joint_position[0] + 1.0)  # 0 where it hangs
        k = np.flatnonzero(np.diff(np.sign(angles)))
        times = dt * (k + 1 + np.array(angles)[k] / (np.array(angles)[k] - np.array(angles)[k + 1]))
        errors.append(abs((times[6] - times[0]) / 3 - exact))
    assert errors[1] < 2e-4 * exact and order(*errors) == pytest.approx(2, abs=0.2)


PLANAR = {"pendulum": (planar_cases.pendulum, 2.0, 0.01, 3e-4), "double pendulum": (planar_cases.double_pendulum, 1.0, 0.005, 3e-4),
          "slider-crank": (planar_cases.slider_crank, 0.5, 0.00125, 1e-4), "four-bar": (planar_cases.four_bar, 1.0, 0.005, 1e-3)}


@pytest.mark.parametrize("name", PLANAR)
def test_plane_mechanisms_follow_their_equations_of_motion(name):
    make, time, dt, bound = PLANAR[name]
    mechanism = make()
    goal, drift = mechanism.reference(time)
    assert drift < 1e-10
    for staggered, expected in ((False, 1), (True, 2)):
        errors = []
        for step in (dt, dt / 2):
            data, joint_error, q = planar.run(mechanism, step, time, staggered)
            assert solved(data) and joint_error < 1e-10
            errors.append(np.abs(q - goal)[:, :2].max())
        assert order(*errors) == pytest.approx(expected, abs=0.35)
    assert errors[1] < bound


def test_the_reference_of_the_squeezer_is_that_of_the_test_set():
    q, drift = planar_cases.squeezer().reference(0.03)
    angles = np.linalg.solve(planar_cases.SQUEEZER_SUMS, q[:, 2])
    assert drift < 1e-12 and angles == pytest.approx(planar_cases.SQUEEZER_END, rel=0, abs=1e-8)


def test_andrews_squeezer_reaches_the_published_angles():
    mechanism, errors = planar_cases.squeezer(), []
    for dt in (6e-5, 3e-5):
        data, joint_error, q = planar.run(mechanism, dt, 0.03, staggered=True)
        assert solved(data) and joint_error < 1e-11
        errors.append(np.abs(np.linalg.solve(planar_cases.SQUEEZER_SUMS, q[:, 2]) - planar_cases.SQUEEZER_END).max())
    assert errors[1] < 1e-3 and order(*errors) == pytest.approx(2, abs=0.1)  # of angles up to 16 rad


@pytest.mark.parametrize("count", [1, 2, 10])
def test_a_row_of_four_bars_passes_its_singular_position(count):
    from scipy.integrate import solve_ivp
    inertia, weight = planar_cases.row_as_pendulum(count)
    goal = solve_ivp(lambda _, s: [s[1], -weight * np.cos(s[0]) / inertia], (0, 5), [np.pi / 2, -1.0], method="DOP853",
                     rtol=1e-12, atol=1e-12).y[0, -1]
    assert goal < -4 * np.pi  # twice round, four times through the position where all bars lie in one line
    errors = []
    for dt in (0.005, 0.0025):
        data, joint_error, q = planar.run(planar_cases.four_bar_row(count), dt, 5)
        assert solved(data) and joint_error < 1e-10
        assert np.abs(q[count + 1:, 2]).max() < 1e-9  # parallelograms still
        errors.append(np.abs(q[:count + 1, 2] - goal).max())
    assert errors[1] < 1e-3 and order(*errors) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("case,bound", [(spatial_cases.Top, 1e-3), (spatial_cases.Governor, 2e-3), (spatial_cases.Bricard, 4e-3)])
def test_mechanisms_in_space_follow_their_equations_of_motion(case, bound):
    errors = []
    for dt in (0.0025, 0.00125):
        error, joint_error, data = case().error(dt)
        assert solved(data) and joint_error < 1e-10
        errors.append(error)
    assert errors[1] < bound and order(*errors) == pytest.approx(1, abs=0.2)


def test_a_governor_at_its_steady_speed_keeps_its_angle():
    governor = spatial_cases.Governor()
    data, _ = spatial_cases.advance(governor.model(0.001, 0.7, governor.steady(0.7)), 1.0)
    alpha = np.arccos(-data.position[2, 2] / governor.length)
    assert alpha == pytest.approx(0.7, abs=2e-3)


def test_the_bricard_loop_can_move_and_stays_closed():
    bricard = spatial_cases.Bricard()
    angles = bricard.reference(-2.0, 0.3)
    assert np.abs(angles).min() > 0.4 and np.abs(bricard.poses(angles)[1]).max() < 1e-10


def test_a_ball_screw_accelerates_with_the_inertia_of_both_motions():
    errors = [axis_cases.BallScrew().error(dt) for dt in (0.01, 0.005)]
    for found in errors:
        assert found["sum"] < 1e-12 and found["thread"] < 1e-15 and solved(found["data"])
    assert order(*[found["exact"] for found in errors]) == pytest.approx(1, abs=1e-6)


def test_a_pendulum_with_dry_friction_stops_for_good_at_the_angle_of_the_closed_form():
    case = axis_cases.FrictionPendulum()
    angle, swings = case.stop()
    assert swings >= 3 and 0.01 < abs(angle) < np.arcsin(case.share)
    end, moved, late, data = case.run(0.0025)
    assert end == pytest.approx(angle, abs=1e-4) and solved(data)
    assert moved < 4.5 and late == 0.0  # a finite time, and no creep after it


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_cradle_of_touching_balls_obeys_newtons_law_for_all_contacts_together(restitution):
    found, data = axis_cases.cradle(0.0, restitution=restitution)
    assert found == pytest.approx(axis_cases.cradle_at_once(restitution), abs=1e-7) and solved(data)
    assert np.sum(found) == pytest.approx(1, abs=1e-9)


def test_a_cradle_of_balls_apart_passes_its_speed_to_the_last():
    found, data = axis_cases.cradle(0.004, time=0.2)
    assert found == pytest.approx([0, 0, 0, 0, 1], abs=1e-9) and solved(data)
    for restitution in (0.8, 0.5):
        found, _ = axis_cases.cradle(0.004, time=0.2, restitution=restitution)
        assert found[-1] == pytest.approx(axis_cases.cradle_one_by_one(restitution)[-1], abs=1e-8)
