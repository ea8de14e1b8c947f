// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/prototype.h"

namespace repose::bench {
namespace {

constexpr StructureReference kStructures[] = {
    // measured prototype, other machine
    {"arch-25", "rest", "cold", 1e-6, 0.40, 0.53, 12, 12, 0.2},
    {"arch-25", "rest", "cold", 1e-10, 0.42, 0.46, 12, 12, 0.2},
    {"arch-25", "rest", "warm", 1e-6, 0.25, 0.36, 11, 11, 0.1},
    {"arch-25", "rest", "warm", 1e-10, 0.34, 0.50, 11, 11, 0.1},
    {"arch-25", "impact", "cold", 1e-6, 0.59, 0.85, 12, 12, 0},
    {"arch-25", "impact", "cold", 1e-10, 0.60, 0.87, 12, 12, 0},
    {"arch-25", "impact", "warm", 1e-6, 0.62, 1.4, 12, 12, 0},
    {"arch-25", "impact", "warm", 1e-10, 0.67, 1.5, 12, 12, 0},
    {"arch-101", "rest", "cold", 1e-6, 2.3, 2.4, 12, 12, 0.8},
    {"arch-101", "rest", "cold", 1e-10, 3.1, 4.0, 12, 12, 0.8},
    {"arch-101", "rest", "warm", 1e-6, 2.0, 2.2, 11, 11, 0.8},
    {"arch-101", "rest", "warm", 1e-10, 2.3, 3.0, 11, 11, 0.8},
    {"arch-101", "impact", "cold", 1e-6, 2.2, 4.7, 12, 12, 0},
    {"arch-101", "impact", "cold", 1e-10, 3.9, 574, 11, 12, 0},
    {"arch-101", "impact", "warm", 1e-6, 3.1, 7.6, 12, 12, 0},
    {"arch-101", "impact", "warm", 1e-10, 3.9, 7.6, 12, 12, 0},
    {"arch-501", "rest", "cold", 1e-6, 9.3, 9.4, 5, 5, 4},
    {"arch-501", "rest", "cold", 1e-10, 0, 0, 0, 2, 4},
    {"arch-501", "rest", "warm", 1e-6, 7.7, 7.9, 5, 5, 4},
    {"arch-501", "rest", "warm", 1e-10, 9.0, 18, 5, 5, 4},
    {"arch-501", "impact", "cold", 1e-6, 9.3, 11, 5, 5, 0},
    {"arch-501", "impact", "cold", 1e-10, 0, 0, 0, 2, 0},
    {"arch-501", "impact", "warm", 1e-6, 0.6, 35, 5, 5, 0},
    {"arch-501", "impact", "warm", 1e-10, 56, 87, 5, 5, 0},
    {"cards-4", "rest", "cold", 1e-6, 1.3, 1.3, 12, 12, 0.4},
    {"cards-4", "rest", "cold", 1e-10, 1.3, 1.4, 12, 12, 0.4},
    {"cards-4", "rest", "warm", 1e-6, 0.86, 1.1, 11, 11, 0.4},
    {"cards-4", "rest", "warm", 1e-10, 0.94, 1.2, 11, 11, 0.4},
    {"cards-4", "impact", "cold", 1e-6, 4.2, 6.6, 12, 12, 0},
    {"cards-4", "impact", "cold", 1e-10, 4.1, 5.3, 12, 12, 0},
    {"cards-4", "impact", "warm", 1e-6, 0.02, 3.9, 12, 12, 0},
    {"cards-4", "impact", "warm", 1e-10, 0.05, 4.1, 12, 12, 0},
    {"cards-10", "rest", "cold", 1e-6, 14, 15, 12, 12, 4},
    {"cards-10", "rest", "cold", 1e-10, 12, 14, 12, 12, 4},
    {"cards-10", "rest", "warm", 1e-6, 6.3, 8.0, 11, 11, 4},
    {"cards-10", "rest", "warm", 1e-10, 8.0, 10.5, 11, 11, 4},
    {"cards-10", "impact", "cold", 1e-6, 12, 21, 12, 12, 0},
    {"cards-10", "impact", "cold", 1e-10, 12, 14, 12, 12, 0},
    {"cards-10", "impact", "warm", 1e-6, 0.2, 12, 12, 12, 0},
    {"cards-10", "impact", "warm", 1e-10, 0.3, 15, 12, 12, 0},
};

constexpr FamilyReference kFamilies[] = {
    // measured prototype, other machine
    {"rod", {100, 100, 100}},       {"sliding_box", {100, 100, 100}}, {"spheres_27", {100, 100, 100}},
    {"pile_2x2x3", {100, 100, 98}}, {"pile_3x3x4", {100, 100, 50}},   {"wall_4x4", {100, 100, 100}},
    {"arch_15", {100, 100, 100}},   {"cards_3", {100, 91, 91}},
};

constexpr PileReference kPiles[] = {
    // measured prototype, other machine; where a cell gave one share for several μ, it is divided evenly
    {"boxes 5x5x4", 0.3, {8, 23, 28}, 5, 5},       {"boxes 5x5x4", 0.5, {8, 25, 38}, 5, 5},
    {"boxes 5x5x4", 0.8, {10, 28, 51}, 5, 5},      {"boxes 6x6x7", 0.3, {43, 138, 226}, 5, 5},
    {"boxes 6x6x7", 0.5, {41, 248, 311}, 5, 5},    {"boxes 6x6x7", 0.8, {58, 206, 297}, 5, 5},
    {"boxes 9x9x10", 0.3, {238, 844, 1092}, 2, 2}, {"boxes 9x9x10", 0.5, {269, 2816, 3110}, 1, 2},
    {"boxes 9x9x10", 0.8, {262, 2191, 0}, 0, 2},   {"boxes 11x11x13", 0.5, {805, 7422, 0}, 0, 1},
    {"spheres 343", 0.3, {16, 33, 136}, 4, 4},     {"spheres 343", 0.5, {17, 34, 36}, 4, 4},
    {"spheres 343", 0.8, {36, 70, 104}, 3, 4},     {"spheres 512", 0.5, {27, 73, 93}, 4, 4},
    {"spheres 1000", 0.5, {100, 240, 1341}, 2, 3}, {"spheres 1000", 0.8, {221, 1523, 1256}, 1, 3},
    {"spheres 3375", 0.5, {494, 0, 0}, 0, 1},      {"spheres 6859", 0.5, {3019, 0, 0}, 0, 1},
};

constexpr SettlingReference kSettling[] = {
    // measured prototype, other machine
    {"boxes 6x6x7", 0.3, "first 10", 26, 44, 10, 10}, {"boxes 6x6x7", 0.3, "other 20", 7.9, 14, 20, 20},
    {"boxes 6x6x7", 0.5, "first 10", 22, 31, 10, 10}, {"boxes 6x6x7", 0.5, "other 20", 0.3, 2.4, 20, 20},
    {"boxes 6x6x7", 0.8, "first 10", 23, 23, 4, 10},  {"boxes 6x6x7", 0.8, "other 20", 0.3, 2.5, 20, 20},
    {"spheres 343", 0.3, "fall", 2.3, 2.6, 15, 15},   {"spheres 343", 0.5, "fall", 2.5, 2.7, 15, 15},
    {"spheres 343", 0.8, "fall", 2.2, 2.6, 15, 15},   {"spheres 343", 0.3, "settle", 19, 33, 30, 30},
    {"spheres 343", 0.5, "settle", 30, 35, 30, 30},   {"spheres 343", 0.8, "settle", 49, 54, 30, 30},
    {"spheres 1000", 0.5, "fall", 7, 8, 15, 15},      {"spheres 1000", 0.5, "settle", 248, 413, 16, 30},
};

template <class Range, class Test>
auto find(const Range& range, const Test& test) -> decltype(&range[0]) {
  for (const auto& item : range)
    if (test(item)) return &item;
  return nullptr;
}

}  // namespace

const StructureReference* find_structure_reference(std::string_view scene, std::string_view event,
                                                   std::string_view start, double tolerance) {
  return find(kStructures, [&](const StructureReference& r) {
    return r.scene == scene && r.event == event && r.start == start && r.tolerance == tolerance;
  });
}

const FamilyReference* find_family_reference(std::string_view family) {
  return find(kFamilies, [&](const FamilyReference& r) { return r.family == family; });
}

const PileReference* find_pile_reference(std::string_view pile, double mu) {
  return find(kPiles, [&](const PileReference& r) { return r.pile == pile && r.mu == mu; });
}

const SettlingReference* find_settling_reference(std::string_view sequence, double mu, std::string_view phase) {
  return find(kSettling,
              [&](const SettlingReference& r) { return r.sequence == sequence && r.mu == mu && r.phase == phase; });
}

}  // namespace repose::bench
