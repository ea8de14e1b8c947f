// SPDX-License-Identifier: Apache-2.0
// <hfield> of MJCF files: elevations in the file, grey images (PNG) and MuJoCo's binary files. Values are scaled to
// 0 … 1 and then multiplied by the third size.
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "repose/scene/file_text_internal.h"
#include "repose/scene/mjcf_model_internal.h"

namespace repose {
namespace {

namespace fs = std::filesystem;

constexpr int kMostPoints = 4096;  // a side

/// Values in the order of HeightField.
struct Grid {
  int rows = 0, columns = 0;
  std::vector<double> values;
};

/// Images and the text of `elevation` have their first row at +y.
void flip(Grid& grid) {
  for (int r = 0; r < grid.rows / 2; ++r)
    std::swap_ranges(grid.values.begin() + r * grid.columns, grid.values.begin() + (r + 1) * grid.columns,
                     grid.values.begin() + (grid.rows - 1 - r) * grid.columns);
}

void check_size(const MjcfElement& e, long rows, long columns) {
  if (rows < 2 || columns < 2 || rows > kMostPoints || columns > kMostPoints)
    e.xml().refuse("file", std::to_string(rows) + " x " + std::to_string(columns) + " values",
                   "2 to " + std::to_string(kMostPoints) + " rows and columns");
}

Grid read_png(const MjcfElement& e, const std::string& text) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto refuse = [&] {
    const std::string why = image.message;
    png_image_free(&image);
    e.xml().refuse("file", why, "a PNG image");
  };
  if (png_image_begin_read_from_memory(&image, text.data(), text.size()) == 0) refuse();
  image.format = PNG_FORMAT_GRAY;
  check_size(e, image.height, image.width);
  std::vector<png_byte> bytes(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) == 0) refuse();
  Grid grid{static_cast<int>(image.height), static_cast<int>(image.width), {bytes.begin(), bytes.end()}};
  flip(grid);
  return grid;
}

/// Two whole numbers of 32 bits, rows and columns, and as many numbers in single precision.
Grid read_binary(const MjcfElement& e, const std::string& text) {
  std::array<std::int32_t, 2> size{};
  if (text.size() < sizeof(size))
    e.xml().refuse("file", std::to_string(text.size()) + " bytes", "rows, columns and values");
  std::memcpy(size.data(), text.data(), sizeof(size));
  check_size(e, size[0], size[1]);
  const std::size_t count = static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]);
  if (text.size() != sizeof(size) + count * sizeof(float))
    e.xml().refuse("file", std::to_string(text.size()) + " bytes",
                   std::to_string(sizeof(size) + count * sizeof(float)) + " bytes for " + std::to_string(size[0]) +
                       " x " + std::to_string(size[1]) + " values");
  std::vector<float> values(count);
  std::memcpy(values.data(), text.data() + sizeof(size), count * sizeof(float));
  if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); }))
    e.xml().refuse("file", "a value that is not finite", "finite values");
  return {size[0], size[1], {values.begin(), values.end()}};
}

Grid read_elevation(const MjcfElement& e) {
  Grid grid{e.whole("nrow", 0), e.whole("ncol", 0), {}};
  if (grid.rows < 2 || grid.rows > kMostPoints) e.refuse("nrow", "2 to " + std::to_string(kMostPoints) + " (or file)");
  if (grid.columns < 2 || grid.columns > kMostPoints) e.refuse("ncol", "2 to " + std::to_string(kMostPoints));
  const std::size_t count = static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns);
  grid.values.resize(count);
  if (e.find("elevation") != nullptr) grid.values = e.numbers("elevation", count, count);
  flip(grid);
  return grid;
}

Grid read_grid(const MjcfModel& model, const MjcfElement& e) {
  if (e.find("file") == nullptr) return read_elevation(e);
  if (e.find("elevation") != nullptr) e.refuse("elevation", "none beside file");
  const fs::path file = *e.find("file");
  const MjcfCompiler& c = model.compiler;
  const std::string path =
      beside(model.file, (fs::path(c.mesh_folder) / (c.strip_path ? file.filename() : file)).string());
  if (!is_file(path))
    e.xml().refuse("file", in_quotes(path, kPathLength) + ", which is not there", "a PNG or binary file");
  const std::string text = read_scene_text(path);
  return file.extension() == ".png" || e.text("content_type", "") == "image/png" ? read_png(e, text)
                                                                                 : read_binary(e, text);
}

}  // namespace

std::shared_ptr<const HeightField> mjcf_height_field(MjcfModel& model, const MjcfElement& geom) {
  const auto found = model.height_fields.find(geom.text("hfield", ""));
  if (found == model.height_fields.end()) geom.refuse("hfield", "the name of a <hfield> in <asset>");
  auto& [xml, field] = found->second;
  if (field != nullptr) return field;
  const MjcfElement e = model.defaults.resolve(*xml, "main");
  const std::vector<double> size = e.numbers("size", 4, 4);
  for (const double s : size)
    if (!(s > 0)) e.refuse("size", "4 numbers > 0, m");
  Grid grid = read_grid(model, e);
  const auto [low, high] = std::minmax_element(grid.values.begin(), grid.values.end());
  const double least = *low, range = *high - *low;
  for (double& v : grid.values) v = range > 0 ? (v - least) / range * size[2] : 0;
  return field = std::make_shared<const HeightField>(
             HeightField{grid.rows, grid.columns, size[0], size[1], size[3], std::move(grid.values)});
}

}  // namespace repose
