# SPDX-License-Identifier: Apache-2.0
"""The checker of recordings in NumPy, python/check_recording.py, as a module; it needs h5py."""
import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "check_recording.py"
spec = importlib.util.spec_from_file_location("check_recording", SCRIPT)
check_recording = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_recording)
