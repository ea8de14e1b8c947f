# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies in contact under the exact Coulomb law, with a certificate for every step.

```python
import repose
model = repose.scenes.arch(stones=25)
data = repose.Data(model)
report = repose.step(model, data, n=600)
print(data.position, report.certificate)
```
"""
from repose import scenes
from repose._core import (BatchData, BatchReport, BrokenRunError, Certificate, Data, InputError, Model, ModelBuilder, Problem, Set, Solution,
                          StepReport, scheme_options, step)
from repose._core import version as __version__
from repose._dtypes import BATCH_CONTACT, CONTACT, HISTORY, MODES
from repose._decompose import decompose
from repose._load import load
from repose._problem import problem, solve
from repose._record import Page, Recording, write_recording
from repose._rollout import Rollout, rollout
from repose._run import Run, run
from repose._sweep import Sweep, sweep

__all__ = ["BATCH_CONTACT", "BatchData", "BatchReport", "BrokenRunError", "CONTACT", "Certificate", "Data", "HISTORY", "InputError", "MODES", "Model", "ModelBuilder",
           "Page", "Problem", "Recording", "Rollout", "Run", "Set", "Solution", "StepReport", "Sweep", "__version__", "decompose", "load", "problem", "rollout",
           "run", "scenes", "scheme_options", "solve", "step",
           "sweep", "write_recording"]
