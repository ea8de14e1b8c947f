# SPDX-License-Identifier: Apache-2.0
"""Planar mechanisms of textbooks, with parameters in SI units."""
import numpy as np

from textbook.planar import Body, Planar, rod, turned


def pendulum(amplitude=1.0):
    """A uniform rod of 1 m."""
    return Planar([rod(1, (0, 0), (np.sin(amplitude), -np.cos(amplitude)))], [(-1, 0, (0, 0))])


def double_pendulum():
    """Two uniform rods of 1 m, released at 90° and 120° from the vertical."""
    elbow = turned((0, -1), np.pi / 2)
    tip = elbow + turned((0, -1), 2 * np.pi / 3)
    return Planar([rod(1, (0, 0), elbow), rod(1, elbow, tip)], [(-1, 0, (0, 0)), (0, 1, tuple(elbow))])


def slider_crank(spin=6.0):
    """Crank 0.2 m, rod 0.7 m, a piston that moves along x."""
    r, length, angle = 0.2, 0.7, 0.5
    pin = r * np.array([np.cos(angle), np.sin(angle)])
    wrist = np.array([pin[0] + np.sqrt(length**2 - pin[1] ** 2), 0])
    bodies = [rod(2, (0, 0), pin, spin=spin), rod(1, pin, wrist), Body(3, 0.01, tuple(wrist))]
    return Planar(bodies, [(-1, 0, (0, 0)), (0, 1, tuple(pin)), (1, 2, tuple(wrist))], [(2, (1, 0))])


def four_bar(spin=8.0):
    """A crank of 0.3 m that goes round, a coupler of 1 m, a rocker of 0.8 m, a base of 0.9 m."""
    crank, coupler, rocker, base, angle = 0.3, 1.0, 0.8, 0.9, 1.0
    a, d = crank * np.array([np.cos(angle), np.sin(angle)]), np.array([base, 0])
    away = d - a
    length = np.linalg.norm(away)
    along = (coupler**2 - rocker**2 + length**2) / (2 * length)
    b = a + along * away / length + np.sqrt(coupler**2 - along**2) * turned(away / length, np.pi / 2)
    bodies = [rod(1, (0, 0), a, spin=spin), rod(2, a, b), rod(1.5, d, b)]
    return Planar(bodies, [(-1, 0, (0, 0)), (0, 1, tuple(a)), (1, 2, tuple(b)), (-1, 2, tuple(d))])


def four_bar_row(count, speed=1.0):
    """`count` parallelograms in a row: count + 1 upright cranks and count couplers of 1 m and 1 kg; the crank pins start with
    `speed` m/s. Whenever the cranks lie flat, all bars are in one line and the rows of the joints lose rank."""
    bodies = [rod(1, (k, 0), (k, 1), spin=-speed) for k in range(count + 1)]
    bodies += [rod(1, (k, 1), (k + 1, 1), spin=0.0) for k in range(count)]
    hinges = [(-1, k, (k, 0)) for k in range(count + 1)]
    for k in range(count):
        hinges += [(k, count + 1 + k, (k, 1)), (k + 1, count + 1 + k, (k + 1, 1))]
    return Planar(bodies, hinges)


def row_as_pendulum(count):
    """I and D of I θ'' = −D cos θ for the angle θ of the cranks above the horizontal while the row keeps its parallelograms."""
    return (count + 1) / 3 + count, 9.81 * ((count + 1) / 2 + count)


# Andrews' squeezing mechanism, as in the test set for initial value problem solvers (Mazzia, Magherini: Test Set for IVP
# Solvers, problem "Andrews' squeezing mechanism", after Hairer and Wanner); m, kg, N m.
MASS = (.04325, .00365, .02373, .00706, .07050, .00706, .05498)
INERTIA = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = np.array([-.06934, -.00227]), np.array([-.03635, .03273]), np.array([.014, .072])
STIFFNESS, REST, TORQUE = 4530, .07785, .033
SQUEEZER_START = np.array([-0.0617138900142764496, 0, 0.45527981916307038, 0.22266839016588588, 0.48736497954384255,
                           -0.22266839016588588, 1.2305474445498212])
#: β, θ, γ, φ, δ, Ω, ε at t = 0.03 s, as the test set has them.
SQUEEZER_END = np.array([15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
                         0.5347301163226948, 1.048080741042263])
#: The angles of the seven bodies are sums of the angles of the test set.
SQUEEZER_SUMS = np.array([[1, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0],
                          [0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0, 1]])
SPRING_ARM = np.array([.02 - .01043, -(.018 - .01874)])  # of body 3 from its mass centre to the spring


def squeezer_force(q, v):
    """The motor of body 1 and the spring between body 3 and C."""
    load = np.zeros((7, 3))
    load[0, 2] = TORQUE
    arm = turned(SPRING_ARM, q[2, 2])
    away = q[2, :2] + arm - C
    length = np.linalg.norm(away)
    load[2, :2] = -STIFFNESS * (length - REST) / length * away
    load[2, 2] = arm[0] * load[2, 1] - arm[1] * load[2, 0]
    return load


def squeezer():
    """Seven bodies, ten hinges, three loops; no gravity."""
    angle = SQUEEZER_SUMS @ SQUEEZER_START

    def at(body, x, y):
        return turned((x, y), angle[body - 1])

    crank = at(1, .007, 0)
    middle = crank + at(2, -.028, 0)  # where bodies 2, 3, 4 and 6 meet
    pin_5, pin_7 = A + at(5, .04, 0), A + at(7, 0, -.04)
    centres = [at(1, .00092, 0), crank + at(2, -.0115, 0), B + at(3, .01043, -.01874), pin_5 + at(4, 0, .01421 - .02),
               A + at(5, .02308, .00916), pin_7 + at(6, .02 - .01421, 0), A + at(7, -.00449, -.01228)]
    bodies = [Body(m, i, tuple(c), a, spin=0.0) for m, i, c, a in zip(MASS, INERTIA, centres, angle)]
    hinges = [(-1, 0, (0, 0)), (0, 1, crank), (1, 2, middle), (-1, 2, B), (1, 3, middle), (1, 5, middle), (3, 4, pin_5),
              (-1, 4, A), (5, 6, pin_7), (-1, 6, A)]
    return Planar(bodies, [(a, b, tuple(p)) for a, b, p in hinges], gravity=0.0, force=squeezer_force)
