# SPDX-License-Identifier: Apache-2.0
"""Writes the page as a C++ source with its bytes.   embed.py PAGE OUTPUT"""
import sys

page = open(sys.argv[1], "rb").read()
rows = (",".join(map(str, page[k:k + 32])) for k in range(0, len(page), 32))
with open(sys.argv[2], "w", encoding="ascii") as out:
    out.write('#include "repose/export/bundle.h"\n\nnamespace repose::exporter {\nnamespace {\n')
    out.write("constexpr unsigned char kPage[] = {" + ",\n".join(rows) + (",0};\n" if page else "0};\n"))
    out.write("}  // namespace\n\nstd::string_view bundle() {\n")
    out.write(f"  return {{reinterpret_cast<const char*>(kPage), {len(page)}}};\n}}\n\n}}  // namespace repose::exporter\n")
