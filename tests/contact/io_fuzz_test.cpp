// SPDX-License-Identifier: Apache-2.0
// Thousands of damaged files: each one reads or throws InputError with one line, and nothing else happens.
#include <functional>

#include "tests/contact/io_fields.h"

namespace repose::testing {
namespace {

constexpr int kMutations = 3000;  // per kind of file

std::size_t pick(Random& random, std::size_t count) { return static_cast<std::size_t>(random.bits() % count); }

void fill(std::string& bytes, std::size_t at, std::size_t count, char value) {
  for (std::size_t k = at; k < std::min(bytes.size(), at + count); ++k) bytes[k] = value;
}

/// One change of the kinds that disks, editors and transfers make.
void damage(std::string& bytes, Random& random) {
  const std::size_t at = pick(random, bytes.size()), from = pick(random, bytes.size());
  const std::size_t length = std::min<std::size_t>({8, bytes.size() - at, bytes.size() - from});
  switch (pick(random, 8)) {
    case 0: bytes[at] = static_cast<char>(random.bits()); break;
    case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(random, 8))); break;
    case 2: fill(bytes, at, 8, '\xff'); break;
    case 3: fill(bytes, at, 8, '\0'); break;
    case 4: bytes.replace(at, length, std::string(bytes, from, length)); break;
    case 5: bytes.erase(at, length); break;
    case 6: bytes.insert(at, std::string(bytes, from, length)); break;
    default: bytes.resize(at + 1); break;
  }
}

/// A number replaced by one that hurts; only for text.
void damage_number(std::string& text, Random& random) {
  static const char* const values[] = {"0",     "-1",  "2",    "2147483648", "9223372036854775807",
                                       "1e999", "nan", "-inf", "",           "x"};
  const std::size_t begin = std::min(text.find_first_of(" \n", pick(random, text.size())), text.size() - 1) + 1;
  const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
  text.replace(begin, end - begin, values[pick(random, std::size(values))]);
}

void survive(const std::string& sound, const std::string& name, bool text) {
  const TempFolder folder;
  const std::filesystem::path file = folder / name;
  int refused = 0;
  for (int k = 0; k < kMutations; ++k) {
    Random random(static_cast<std::uint64_t>(k) + 1);
    std::string bytes = sound;
    for (std::size_t changes = 1 + pick(random, 3); changes > 0 && !bytes.empty(); --changes)
      if (text && pick(random, 2) == 0)
        damage_number(bytes, random);
      else
        damage(bytes, random);
    write_file(file, bytes);
    try {
      (void)read_stored_problem(file);
    } catch (const InputError& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "mutation " << k;
    } catch (const std::exception& error) {
      FAIL() << "mutation " << k << ": " << error.what();
    }
  }
  EXPECT_GT(refused, kMutations / 20);
}

TEST(DamagedFiles, DenseText) { survive("3\n1\n0\n3\n3\n3 3\n1 2 3\n4 5 6\n7 8 9\n-1 0.5 0.25\n0.7\n", "a.dat", true); }

TEST(DamagedFiles, BlockText) {
  survive(
      "3\n2\n1\n6\n6\n3\n2\n2\n3 6\n3 6\n3\n3\n0 1 3\n0 0 1\n0\n1 2 3\n4 5 6\n7 8 9\n1\n.1 .2 .3 .4 .5 .6 .7 .8 .9\n2\n"
      "10 20 30\n40 50 60\n70 80 90\n-1 .5 .25 -2 1e-3 -4E+2\n.7 0\n",
      "a.dat", true);
}

TEST(DamagedFiles, LocalForm) { survive(hdf5_bytes(local_fields()), "a.hdf5", false); }

TEST(DamagedFiles, GlobalForm) { survive(hdf5_bytes(global_fields()), "a.hdf5", false); }

TEST(DamagedFiles, GlobalFormOfNoBodies) { survive(hdf5_bytes(global_fields(true)), "a.hdf5", false); }

TEST(DamagedFiles, BodyForm) {
  const TempFolder folder;
  write_fclib(folder / "a.hdf5", small_body_problem());
  survive(file_bytes(folder / "a.hdf5"), "a.hdf5", false);
}

TEST(DamagedFiles, CompressedGlobalForm) {
  const TempFolder folder;
  FclibOptions packed;
  packed.form = FclibForm::kGlobal;
  packed.compress = true;
  write_fclib(folder / "a.hdf5", small_body_problem(), packed);
  survive(file_bytes(folder / "a.hdf5"), "a.hdf5", false);
}

TEST(DamagedFiles, NewerHdf5) { survive(hdf5_bytes(local_fields(), Format::kChecksummed), "a.hdf5", false); }

/// Sound structure, spoiled numbers: reaches the checks behind the parser every time.
TEST(DamagedFiles, SpoiledFields) {
  const TempFolder folder;
  for (int k = 0; k < kMutations / 2; ++k) {
    Random random(static_cast<std::uint64_t>(k) + 1);
    Fields fields = k % 2 == 0 ? local_fields() : global_fields();
    auto chosen = fields.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(pick(random, fields.size())));
    static const int values[] = {0, -1, 1, 5, 6, 12, 13, 2147483647, -2147483647, -2};
    static const double reals[] = {0, -1, 1e308, -1e308, 1e-320, 1e154};
    if (auto* list = std::get_if<std::vector<int>>(&chosen->second))
      (*list)[pick(random, list->size())] = values[pick(random, std::size(values))];
    if (auto* list = std::get_if<std::vector<double>>(&chosen->second))
      (*list)[pick(random, list->size())] = reals[pick(random, std::size(reals))];
    write_file(folder / "a.hdf5", hdf5_bytes(fields));
    EXPECT_EQ(fault_of(folder / "a.hdf5").find('\n'), std::string::npos) << k;
  }
}

}  // namespace
}  // namespace repose::testing
