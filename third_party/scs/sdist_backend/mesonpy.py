# SPDX-License-Identifier: Apache-2.0
"""Stands in for SCS's Python build backend while pip downloads its source package.

pip asks the backend for a package's metadata before it keeps a download. The real backend would configure the
Python extension for that, with NumPy and BLAS, which a C library does not need. This one answers with the name and
the version found in the package itself.
"""

import os
import re


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        info = file.read()
    name = re.search(r"^Name: (\S+)$", info, re.MULTILINE).group(1)
    version = re.search(r"^Version: (\S+)$", info, re.MULTILINE).group(1)
    folder = f"{name}-{version}.dist-info"
    os.makedirs(os.path.join(metadata_directory, folder), exist_ok=True)
    with open(os.path.join(metadata_directory, folder, "METADATA"), "w", encoding="utf-8") as file:
        file.write(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return folder
