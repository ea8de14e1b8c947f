# SPDX-License-Identifier: Apache-2.0
"""The check of wheels (scripts/wheel_check.py) says no where it should."""
import importlib.util
import zipfile
from pathlib import Path

import pytest

import repose

ROOT = Path(__file__).resolve().parents[2]
MODULE = Path(repose._core.__file__)

spec = importlib.util.spec_from_file_location("wheel_check", ROOT / "scripts" / "wheel_check.py")
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)


def wheel_with(folder, tag, module, inside=None):
    """A wheel of the module alone, tagged in its name and, differently if asked to, inside."""
    wheel = folder / f"repose_sim-0-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as new:
        new.write(MODULE, f"repose/{module}")
        new.writestr("repose_sim-0.dist-info/WHEEL", f"Wheel-Version: 1.0\nTag: {inside or tag}\n")
    return wheel


def test_names_and_tags_must_agree(tmp_path):
    good = "cp312-abi3-manylinux_2_35_x86_64"
    assert check.name_troubles(wheel_with(tmp_path, good, "_core.abi3.so"), check.STABLE) == []
    for tag, module, inside, words in (
        ("cp312-cp312-manylinux_2_35_x86_64", "_core.abi3.so", good, "got cp312-cp312"),
        (good, "_core.abi3.so", "cp312-cp312-manylinux_2_35_x86_64", "inside"),
        ("cp312-abi3-linux_x86_64", "_core.abi3.so", good, "got linux_x86_64"),
        (good, "_core.cpython-312-x86_64-linux-gnu.so", good, "modules: expected"),
    ):
        (trouble,) = check.name_troubles(wheel_with(tmp_path, tag, module, inside), check.STABLE)
        assert words in trouble


def test_a_name_does_not_make_a_module_stable(tmp_path):
    """The module of a build folder is compiled for one version; that of an installed wheel may be a stable one."""
    pytest.importorskip("abi3audit")
    troubles = check.symbol_troubles(wheel_with(tmp_path, "cp312-abi3-manylinux_2_35_x86_64", "_core.abi3.so"))
    if MODULE.name == "_core.abi3.so":
        assert troubles == []
    else:
        assert any("not of the stable interface" in trouble for trouble in troubles)
