// SPDX-License-Identifier: Apache-2.0
// A .npz is a zip archive of .npy files: a small header that Python can read, then the numbers.
#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <type_traits>

#include "repose/base/atomic_file.h"
#include "repose/base/error.h"
#include "repose/export/export.h"
#include "repose/export/page_data_internal.h"

namespace repose::exporter {
namespace {

template <class Value>
void append(std::string& out, Value value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The raw form of zip's method 8.
std::string raw_deflated(std::string_view bytes) {
  z_stream stream{};
  require(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK,
          "npz: zlib: expected memory for a stream, got none");
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  require(status == Z_STREAM_END, "npz: zlib: expected to compress ", bytes.size(), " bytes, got error ", status);
  return out;
}

/// A zip archive of the classic kind: up to 4 GiB.
class Archive {
 public:
  void add(const std::string& name, std::string_view bytes) {
    const std::string packed = raw_deflated(bytes);
    const auto sum = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
    require(out_.size() + packed.size() < 0xf0000000u && bytes.size() < 0xf0000000u,
            "npz: expected less; export a shorter recording, got more than 4 GiB");
    const auto place = static_cast<std::uint32_t>(out_.size());
    const auto facts = [&](std::string& to) {
      for (const int half : {20, 0, 8, 0, 0x21}) append(to, static_cast<std::uint16_t>(half));  // 1980-01-01
      append(to, sum);
      append(to, static_cast<std::uint32_t>(packed.size()));
      append(to, static_cast<std::uint32_t>(bytes.size()));
      append(to, static_cast<std::uint16_t>(name.size()));
      append(to, std::uint16_t{0});
    };
    append(out_, std::uint32_t{0x04034b50});
    facts(out_);
    out_ += name + packed;
    append(index_, std::uint32_t{0x02014b50});
    append(index_, std::uint16_t{20});
    facts(index_);
    for (int k = 0; k < 3; ++k) append(index_, std::uint16_t{0});
    append(index_, std::uint32_t{0});
    append(index_, place);
    index_ += name;
    ++files_;
  }
  [[nodiscard]] std::string finish() {
    const auto place = static_cast<std::uint32_t>(out_.size());
    out_ += index_;
    append(out_, std::uint32_t{0x06054b50});
    append(out_, std::uint32_t{0});
    for (int k = 0; k < 2; ++k) append(out_, files_);
    append(out_, static_cast<std::uint32_t>(index_.size()));
    append(out_, place);
    append(out_, std::uint16_t{0});
    return std::move(out_);
  }

 private:
  std::string out_, index_;
  std::uint16_t files_ = 0;
};

template <class Value>
constexpr const char* numpy_type() {
  if constexpr (std::is_same_v<Value, double>) return "<f8";
  if constexpr (std::is_same_v<Value, std::int32_t>) return "<i4";
  return "|u1";
}

std::string npy(const char* type, const std::vector<std::size_t>& shape, std::string_view bytes) {
  std::string dims;
  for (const std::size_t n : shape) dims += std::to_string(n) + ",";
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, dims);
  head.append((64 - (10 + head.size() + 1) % 64) % 64, ' ');
  head += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  append(out, static_cast<std::uint16_t>(head.size()));
  return out + head + std::string(bytes);
}

template <class Value>
void add(Archive& archive, const std::string& name, const std::vector<std::size_t>& shape,
         const std::vector<Value>& values) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
  archive.add(name + ".npy", npy(numpy_type<Value>(), shape, bytes));
}

void push(std::vector<double>& out, Vec3 v) { out.insert(out.end(), {v.x, v.y, v.z}); }

void add_states(Archive& archive, const Recording& recording) {
  std::vector<double> time, position, quaternion, centre, velocity, spin;
  std::vector<std::uint8_t> present;
  for (int first = 0; first <= recording.steps(); first += kFramesPerChunk)
    for (const RecordedState& state :
         recording.states(first, std::min(kFramesPerChunk, recording.steps() + 1 - first))) {
      time.push_back(state.time);
      for (std::size_t b = 0; b < state.bodies.size(); ++b) {
        const BodyState& s = state.bodies[b];
        push(position, state.positions[b]);
        quaternion.insert(quaternion.end(), {s.rotation.w, s.rotation.x, s.rotation.y, s.rotation.z});
        push(centre, s.centre);
        push(velocity, s.velocity);
        push(spin, s.angular_velocity);
        present.push_back(state.present[b] != 0);
      }
    }
  const std::size_t t = time.size(), n = recording.names().size();
  add(archive, "time", {t}, time);
  add(archive, "position", {t, n, 3}, position);
  add(archive, "quaternion", {t, n, 4}, quaternion);
  add(archive, "centre", {t, n, 3}, centre);
  add(archive, "velocity", {t, n, 3}, velocity);
  add(archive, "angular_velocity", {t, n, 3}, spin);
  add(archive, "present", {t, n}, present);
}

void add_steps(Archive& archive, const Recording& recording) {
  std::vector<double> r_c, nat, energy, overlap, ms;
  std::vector<std::int32_t> outer, contacts, status;
  for (const StepReport& r : recording.reports(0, recording.steps())) {
    r_c.push_back(r.certificate.r_c());
    nat.push_back(r.certificate.nat);
    energy.push_back(r.energy);
    overlap.push_back(r.penetration);
    outer.push_back(r.outer_iterations);
    contacts.push_back(r.contacts);
    status.push_back(static_cast<int>(r.status));
    ms.insert(ms.end(), {r.ms.collide, r.ms.assemble, r.ms.solve, r.ms.integrate});
  }
  const std::size_t t = r_c.size();
  add(archive, "r_c", {t}, r_c);
  add(archive, "nat", {t}, nat);
  add(archive, "energy", {t}, energy);
  add(archive, "penetration", {t}, overlap);
  add(archive, "outer_iterations", {t}, outer);
  add(archive, "contacts", {t}, contacts);
  add(archive, "status", {t}, status);
  add(archive, "ms", {t, 4}, ms);
}

void add_contacts(Archive& archive, const Recording& recording, Forces forces) {
  std::vector<std::int32_t> step, body;
  std::vector<std::uint8_t> mode;
  std::vector<double> position, normal, force, gap, friction;
  for (int first = 0; first < recording.steps(); first += kFramesPerChunk) {
    int number = first;
    for (const std::vector<Contact>& list :
         shown_contacts(recording, first, std::min(kFramesPerChunk, recording.steps() - first), forces)) {
      for (const Contact& c : list) {
        step.push_back(number);
        body.insert(body.end(), {c.body_a, c.body_b});
        mode.push_back(static_cast<std::uint8_t>(c.mode));
        push(position, c.position);
        push(normal, c.normal);
        push(force, (1 / recording.dt()) * c.impulse());
        gap.push_back(c.gap);
        friction.push_back(c.mu);
      }
      ++number;
    }
  }
  const std::size_t n = step.size();
  add(archive, "contact_step", {n}, step);
  add(archive, "contact_body", {n, 2}, body);
  add(archive, "contact_mode", {n}, mode);
  add(archive, "contact_position", {n, 3}, position);
  add(archive, "contact_normal", {n, 3}, normal);
  add(archive, "contact_force", {n, 3}, force);
  add(archive, "contact_gap", {n}, gap);
  add(archive, "contact_friction", {n}, friction);
}

/// Fixed-width text, as numpy keeps names: 4 bytes a letter.
void add_names(Archive& archive, const std::vector<std::string>& names) {
  std::vector<std::u32string> decoded;
  std::size_t width = 1;
  for (const std::string& name : names) {
    std::u32string letters;
    for (std::size_t k = 0; k < name.size();) {
      const auto lead = static_cast<unsigned char>(name[k]);
      const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
      char32_t letter = more == 0 ? lead : lead & (0x3f >> more);
      for (std::size_t i = 1; i <= more && k + i < name.size(); ++i)
        letter = (letter << 6) | (static_cast<unsigned char>(name[k + i]) & 0x3f);
      letters += letter;
      k += more + 1;
    }
    width = std::max(width, letters.size());
    decoded.push_back(letters);
  }
  std::string bytes;
  for (std::u32string& letters : decoded) {
    letters.resize(width, U'\0');
    for (const char32_t letter : letters) append(bytes, static_cast<std::uint32_t>(letter));
  }
  archive.add("names.npy", npy(fmt::format("<U{}", width).c_str(), {names.size()}, bytes));
}

}  // namespace

void export_npz(const Recording& recording, const std::filesystem::path& file, Forces forces) {
  Archive archive;
  add_names(archive, recording.names());
  add_states(archive, recording);
  add_steps(archive, recording);
  add_contacts(archive, recording, forces);
  add(archive, "dt", {}, std::vector<double>{recording.dt()});
  add(archive, "tolerance", {}, std::vector<double>{recording.tolerance()});
  add(archive, "accept", {}, std::vector<double>{recording.accept()});
  files::write_atomically(file, archive.finish());
}

}  // namespace repose::exporter
