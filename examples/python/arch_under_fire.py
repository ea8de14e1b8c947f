# SPDX-License-Identifier: Apache-2.0
"""A 25-stone arch under fire: energy, sticking and slipping contacts, thrust.   arch_under_fire.py [OUT.png]"""
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import repose
import repose.plot


def main(out: str, time: float | None = None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arch.h5"
        run = repose.run("arch", stones=25, projectiles=True, time=time, record=file)
        recording = repose.Recording(file)
        worst, agrees = recording.check()
        print(run)
        print(f"recomputed from the recording alone: worst residual {worst:.1e}, {'agrees' if agrees else 'DIFFERS'}")
        figure, (top, middle, bottom) = plt.subplots(3, figsize=(7, 10))
        repose.plot.energy(recording, ax=top)
        repose.plot.phases(recording, ax=middle)
        repose.plot.forces(run.data, ax=bottom)
        figure.tight_layout()
        figure.savefig(out, dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "arch.png")
