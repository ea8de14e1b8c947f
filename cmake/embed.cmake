# SPDX-License-Identifier: Apache-2.0
# Writes the compressed page as a C++ source with its bytes.   cmake -D INPUT=FILE -D OUTPUT=FILE -P embed.cmake
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"repose/export/bundle.h\"

namespace repose::exporter {
namespace {
constexpr unsigned char kBytes[] = {
${bytes}};
}  // namespace

std::span<const unsigned char> packed_page() { return kBytes; }

}  // namespace repose::exporter
")
