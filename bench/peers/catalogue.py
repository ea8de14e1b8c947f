# SPDX-License-Identifier: Apache-2.0
"""Who takes part and with which settings. docs/peers/settings.md says why; a test keeps the two in agreement."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    name: str
    title: str
    adapter: str                                   # script below bench/peers, started by the environment's Python
    settings: dict = field(default_factory=dict)   # label: what the adapter is given
    skips: tuple = ()                              # scenes it is not run on, to keep the whole run short
    seconds: dict = field(default_factory=dict)    # scene: budget where the usual one would end a run that is nearly through
    environment: str = ""                          # folder with requirements.txt; empty: the project's own .venv
    program: str = ""                              # built by cargo instead, from this folder
    compile_seconds: float = 0                     # CPU seconds that building a scene may take on top of the budget


SHORT = ("wall-10",)
BUDGET = 15.0  # CPU seconds of a cell unless its engine has more for the scene


PEERS = {p.name: p for p in (
    Peer("repose", "Repose", "repose/simulate.py",
         {"auto": {"outer": "auto", "tol": 1e-8}, "relaxed": {"outer": "relaxed", "tol": 1e-8}}),
    Peer("mujoco", "MuJoCo", "mujoco/simulate.py",
         {"impratio 1": {"impratio": 1}, "impratio 1, noslip 10": {"impratio": 1, "noslip": 10},
          "impratio 100": {"impratio": 100}, "impratio 100, noslip 10": {"impratio": 100, "noslip": 10},
          "impratio 100, 4 substeps": {"impratio": 100, "substeps": 4}},
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
    Peer("drake", "Drake", "drake/simulate.py", {"SAP": {"approximation": "sap"}, "lagged": {"approximation": "lagged"}},
         environment="drake", skips=SHORT, seconds={"arch-101": 40}),
    Peer("rapier", "Rapier", "rapier/simulate.py", {"default": {}, "4 substeps": {"substeps": 4}},
         program="repose-peer-rapier"),
)}


def cells(peers, scenes, asked=False):
    """(scene, peer, label) in the order in which they run: scene by scene, so that all engines meet each scene within
    minutes of each other; within a scene one setting of every engine in turn. `asked`: the scenes were asked for by name, none is skipped."""
    for scene in scenes:
        rows = [[(scene, p.name, label) for label in p.settings] for p in peers if asked or scene not in p.skips]
        for k in range(max((len(r) for r in rows), default=0)):
            yield from (r[k] for r in rows if k < len(r))
