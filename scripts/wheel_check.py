# SPDX-License-Identifier: Apache-2.0
"""Checks that a repaired wheel is what its name promises.   wheel_check.py WHEEL

To be run by the interpreter that built it. From CPython 3.12 on, the wheel must be tagged for the stable interface and its
module must use no other symbol of Python (abi3audit); older interpreters get a wheel of their own.
"""
import json
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

STABLE = "cp312-abi3"


def expected_tag() -> str:
    """Interpreter and interface of a wheel that this Python builds; one without the lock has no stable interface."""
    if sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return STABLE
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-{version}{sys.abiflags}"


def name_troubles(wheel: Path, expected: str) -> list[str]:
    """Tags in the name and inside, and the module that Python will look for."""
    interpreter, interface, platform = wheel.stem.split("-")[-3:]
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        inside = opened.read(next(n for n in names if n.endswith(".dist-info/WHEEL"))).decode()
    tags = [line.removeprefix("Tag: ") for line in inside.splitlines() if line.startswith("Tag: ")]
    modules = [n for n in names if n.startswith("repose/_core.") and n.endswith(".so")]
    suffix = ".abi3.so" if expected == STABLE else sysconfig.get_config_var("EXT_SUFFIX")
    troubles = []
    if f"{interpreter}-{interface}" != expected:
        troubles.append(f"name: expected {expected}, got {interpreter}-{interface}")
    if not tags or any(not tag.startswith(f"{expected}-") for tag in tags):
        troubles.append(f"tags inside: expected {expected}, got {tags}")
    if not platform.startswith("manylinux_"):
        troubles.append(f"platform: expected manylinux (after auditwheel repair), got {platform}")
    if modules != [f"repose/_core{suffix}"]:
        troubles.append(f"modules: expected repose/_core{suffix} alone, got {modules}")
    return troubles


def symbol_troubles(wheel: Path) -> list[str]:
    """Symbols of Python in the module that are not of the stable interface of the version in the wheel's name."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "abi3audit", "--strict", "--report", "--output", report, wheel]
        audit = subprocess.run(command, capture_output=True, text=True, check=False)
        if not report.exists() or not report.read_text():
            return [f"abi3audit: {(audit.stderr or audit.stdout).strip()}"]
        (spec,) = json.loads(report.read_text())["specs"].values()
    results = {part["name"]: part["result"] for part in spec["wheel"]}
    if "_core.abi3.so" not in results:
        return [f"abi3audit: expected a result for _core.abi3.so, got those for {sorted(results)}"]
    troubles = [f"{name} uses {symbol}, which is not of the stable interface"
                for name, result in results.items() for symbol in result["non_abi3_symbols"]]
    troubles += [f"{name} uses {symbol} of {version}, later than {result['baseline']}"
                 for name, result in results.items() for symbol, version in result["future_abi3_objects"].items()]
    if audit.returncode != 0 and not troubles:
        troubles.append(f"abi3audit: {(audit.stderr or audit.stdout).strip()}")
    return troubles


def main() -> None:
    wheel, expected = Path(sys.argv[1]), expected_tag()
    troubles = name_troubles(wheel, expected)
    if expected == STABLE:
        troubles += symbol_troubles(wheel)
    if troubles:
        sys.exit("\n".join(f"wheel_check: {trouble}" for trouble in troubles))
    print(f"{wheel.name}: " + ("stable interface of 3.12 alone" if expected == STABLE else f"for {expected} alone"))


if __name__ == "__main__":
    main()
