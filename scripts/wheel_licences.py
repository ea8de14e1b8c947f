# SPDX-License-Identifier: Apache-2.0
"""Puts the licence text of everything that a repaired wheel carries into it.   wheel_licences.py WHEEL BUILDS

auditwheel copies shared libraries of the system into the wheel; others are compiled into the module, the program or the
page. Their texts go to *.dist-info/licenses/bundled, one file per package. A part without a text is an error.
"""
import base64
import glob
import gzip
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Crates of the lock file that end up in the archive (THIRD_PARTY_NOTICES.md); the others run at compile time.
CRATES = ("amd", "cfg-if", "clarabel", "either", "itertools", "itoa", "lazy_static", "memchr", "num-traits", "serde",
          "serde_core", "serde-big-array", "serde_json", "thiserror", "zmij")


def fail(text: str) -> None:
    sys.exit(f"wheel_licences: {text}")


def texts_in(folder: Path) -> str:
    files = sorted(f for f in folder.glob("*") if re.match(r"(licen[cs]e|copying|copyright|unlicense)", f.name, re.I) and f.is_file())
    return "\n\n".join(f.read_text(encoding="utf-8", errors="replace") for f in files)


def package_of(library: str) -> str:
    """Debian's package of a library that the loader knows, by the name that it has in the wheel."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library, count=1)
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    stem = name.split(".so")[0]
    for path in re.findall(rf"=> (\S*/{re.escape(stem)}\.so\S*)", known):
        real = os.path.realpath(path)
        for candidate in (real, real.replace("/usr/lib", "/lib"), real.replace("/lib", "/usr/lib", 1)):
            found = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True, check=False).stdout
            if found:
                return found.split(":")[0]
    fail(f"{library}: expected a package of the system that holds it, got none")
    return ""


def shared(names: list[str]) -> dict[str, str]:
    texts = {}
    for library in sorted({Path(n).name for n in names if re.search(r"\.libs/.*\.so", n)}):
        package = package_of(library)
        file = Path("/usr/share/doc") / package / "copyright"
        if not file.exists():
            fail(f"{file}: expected the copyright file of the package, got none")
        texts[package] = file.read_text(encoding="utf-8", errors="replace")
    return texts


def cuda_runtime() -> str:
    """The terms of the CUDA runtime, of which device code links the static library."""
    home = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    packages = home.parents[1].glob("nvidia_cuda_runtime*.dist-info/**/[Ll]icense.txt")
    found = [*packages, *home.glob("EULA.txt")]
    return found[0].read_text(encoding="utf-8", errors="replace") if found else ""


def compiled_in(build: Path) -> dict[str, str]:
    """What is part of the module, the program and the page."""
    texts = {"nanobind": Path(glob.glob(f"{sysconfig.get_path('purelib')}/nanobind-*.dist-info/licenses/LICENSE")[0]).read_text()}
    robin = Path(sysconfig.get_path("purelib")) / "nanobind/ext/robin_map/include/tsl/robin_map.h"
    texts["robin_map"] = robin.read_text().split("*/")[0]  # its licence stands on top of each file
    page = gzip.decompress((ROOT / "apps/viewer_page/page.html.gz").read_bytes()).decode()
    notice = re.search(r"<!--\s*(This page contains:.*?)-->", page, re.S)  # three and uPlot
    texts["viewer-page"] = notice[1] if notice else ""
    for source in build.glob("third_party/scs/scs-*/scs_source"):
        texts["scs"] = texts_in(source)
        for part in ("amd", "qdldl"):
            texts[f"scs-{part}"] = texts_in(source / "linsys/external" / part)
    lock = (ROOT / "third_party/clarabel_shim/Cargo.lock").read_text()
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    if any(home.glob("registry/src/*/clarabel-*")):
        for crate in CRATES:
            version = re.search(rf'name = "{crate}"\nversion = "([^"]+)"', lock)
            if not version:
                fail(f"{crate}: expected the crate in the lock file, got none")
            folders = list(home.glob(f"registry/src/*/{crate}-{version[1]}"))
            texts[f"crate-{crate}"] = texts_in(folders[0]) if folders else ""
            if not texts[f"crate-{crate}"] and folders:  # the manifest says which; the text is our own LICENSE's
                manifest = (folders[0] / "Cargo.toml").read_text()
                said = re.search(r'^license = "([^"]+)"', manifest, re.M)
                if said and "Apache-2.0" in said[1]:
                    texts[f"crate-{crate}"] = f"{crate} {version[1]}: {said[1]}\n\n" + (ROOT / "LICENSE").read_text()
    if "REPOSE_CUDA:BOOL=ON" in (build / "CMakeCache.txt").read_text():
        texts["cuda-runtime"] = cuda_runtime()
    for name, text in texts.items():
        if len(text) < 100:
            fail(f"{name}: expected a licence text, got none")
    return texts


def add(wheel: Path, texts: dict[str, str]) -> None:
    with zipfile.ZipFile(wheel) as old:
        content = {item: old.read(item) for item in old.infolist()}
    record = next(i for i in content if i.filename.endswith(".dist-info/RECORD"))
    folder = record.filename[: -len("RECORD")] + "licenses/bundled/"
    lines = content.pop(record).decode().splitlines()
    lines = [line for line in lines if not line.startswith(folder)]
    beside = wheel.with_suffix(".part")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as new:
        for item, data in content.items():
            if not item.filename.startswith(folder):
                new.writestr(item, data)
        for name, text in sorted(texts.items()):
            data = text.encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.insert(-1, f"{folder}{name}.txt,sha256={digest},{len(data)}")
            new.writestr(f"{folder}{name}.txt", data)
        new.writestr(record, "\n".join(lines) + "\n")
    beside.replace(wheel)


def main() -> None:
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    libraries = shared(names)
    if not libraries:
        fail(f"{wheel.name}: expected bundled libraries (after auditwheel repair), got none")
    interpreter, interface, _ = wheel.stem.split("-")[-3:]
    builds = list(folder.glob(f"{interpreter}-{interface}-*"))
    if len(builds) != 1:
        fail(f"{wheel.name}: expected one build folder in {folder}, got {len(builds)}")
    inside = compiled_in(builds[0])
    add(wheel, {**libraries, **inside})
    print(f"{wheel.name}: licence texts of {len(libraries)} shared libraries' packages and {len(inside)} parts compiled in")


if __name__ == "__main__":
    main()
