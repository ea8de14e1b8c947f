# SPDX-License-Identifier: Apache-2.0
"""Who takes part and with which settings. docs/peers/settings.md says why; a test keeps the two in agreement."""
from dataclasses import dataclass, field

from description import MOVING, SCENES

BUDGET = 15.0         # CPU seconds of a cell unless its engine has more for the scene
MOVING_BUDGET = 60.0  # of a moving scene


@dataclass(frozen=True)
class Peer:
    name: str
    title: str
    adapter: str                                   # script below bench/peers, started by the environment's Python
    settings: dict = field(default_factory=dict)   # label: what the adapter is given
    moving: dict = field(default_factory=dict)     # the same on moving scenes; none: it is not run on them
    always: tuple = ()                             # labels shown beside the best where there are too many; none: all
    skips: tuple = ()                              # scenes it is run on only when they are asked for, to keep the whole run short
    cannot: tuple = ()                             # scenes beyond it; settings.md says why
    seconds: dict = field(default_factory=dict)    # scene: budget where the usual one would end a run that is nearly through
    environment: str = ""                          # folder with requirements.txt; empty: the project's own .venv
    bare: bool = False                             # its requirements are installed without what they ask for themselves
    program: str = ""                              # built by cargo instead, from this folder
    script: str = ""                               # run by Node.js instead, with the packages of this folder's package.json
    compile_seconds: float = 0                     # CPU seconds that building a scene may take on top of the budget

    def all_settings(self):
        return self.settings | self.moving

    def settings_on(self, scene, asked=False):
        """`asked`: the scene was asked for by name and is not skipped."""
        if scene in MOVING:
            return self.moving
        return {} if scene in self.cannot or (scene in self.skips and not asked) else self.settings


def mujoco_sweep():
    """How stiff friction is, how stiff contacts are, how short the steps; and the documented remedy against slip."""
    found = {}
    for impratio in (1, 10, 100, 1000):
        for stiff in ({}, {"solimp": "0.999 0.9999"}):
            for substeps in (1, 4):
                words = [f"impratio {impratio}", *["stiff"] * bool(stiff), *["4 substeps"] * (substeps == 4)]
                found[", ".join(words)] = {"impratio": impratio, **stiff, "substeps": substeps}
    for impratio in (1, 100):
        found[f"impratio {impratio}, noslip 10"] = {"impratio": impratio, "noslip": 10}
    return found


SHORT = ("wall-10",)
SINGLE = tuple(name for name in SCENES if name.startswith(("incline", "launched", "backspin")))
OURS = {"auto": {"outer": "auto", "tol": 1e-8}, "relaxed": {"outer": "relaxed", "tol": 1e-8}}
SUBSTEPS = {"default": {}, "4 substeps": {"substeps": 4}}
LITTLE_SLOP = {"4 substeps, slop 0.1 mm": {"substeps": 4, "slop": 1e-4}}
PYRAMIDAL = {"impratio": 1, "cone": "pyramidal"}


PEERS = {p.name: p for p in (
    Peer("repose", "Repose", "repose/simulate.py", OURS, moving={"auto": OURS["auto"]}),
    Peer("mujoco", "MuJoCo", "mujoco/simulate.py", mujoco_sweep(), always=("impratio 1", "impratio 100"),
         moving={"elliptic, impratio 100": {"impratio": 100}, "pyramidal": PYRAMIDAL, "pyramidal, 4 substeps": PYRAMIDAL | {"substeps": 4}},
         environment="mujoco"),
    Peer("mujoco-warp", "MuJoCo-Warp", "mujoco_warp/simulate.py",
         {"impratio 1": {"impratio": 1}, "impratio 100": {"impratio": 100}}, environment="newton", compile_seconds=120,
         skips=SHORT, seconds={"cards-5": 30}),
    Peer("kamino", "Kamino (Newton)", "newton/simulate.py",
         {"LLTB": {"linear_solver": "LLTB", "rho": 0.1}, "LLTBRCM": {"linear_solver": "LLTBRCM", "rho": 0.1}},
         environment="newton", compile_seconds=120, skips=SHORT, seconds={"cards-4": 60, "arch-25": 60}),
    Peer("genesis", "Genesis", "genesis/simulate.py",
         {"signorini": {"contact": "signorini"}, "signorini, 4 substeps": {"contact": "signorini", "substeps": 4}},
         environment="genesis", compile_seconds=400, skips=SHORT, seconds={"cards-10": 30}),
    Peer("drake", "Drake", "drake/simulate.py",
         {"SAP": {"approximation": "sap"}, "lagged": {"approximation": "lagged"},
          "CENIC": {"approximation": "lagged", "integration": "cenic", "accuracy": 1e-3}},
         environment="drake", skips=SHORT, seconds={"arch-101": 40}),
    Peer("rapier", "Rapier", "native.py", SUBSTEPS, moving=SUBSTEPS, program="repose-peer-rapier"),
    Peer("jolt", "Jolt", "native.py",
         SUBSTEPS | LITTLE_SLOP | {"4 substeps, 40 iterations": {"substeps": 4, "velocity_steps": 40}},
         moving=SUBSTEPS | LITTLE_SLOP, script="simulate.mjs"),
    Peer("lmgc90", "LMGC90", "lmgc90/simulate.py", {"1 step": {}, "4 substeps": {"substeps": 4}}, environment="lmgc90", bare=True,
         cannot=SINGLE),
)}


def cells(peers, scenes, asked=False, labels=()):
    """(scene, peer, label) in the order in which they run: scene by scene, so that all engines meet each scene within
    minutes of each other; within a scene one setting of every engine in turn. `labels`: only these settings."""
    for scene in scenes:
        rows = [[(scene, p.name, label) for label in p.settings_on(scene, asked) if not labels or label in labels] for p in peers]
        for k in range(max((len(r) for r in rows), default=0)):
            yield from (r[k] for r in rows if k < len(r))


def budget(peer, scene):
    """CPU seconds of a cell."""
    return MOVING_BUDGET if scene in MOVING else peer.seconds.get(scene, BUDGET)
