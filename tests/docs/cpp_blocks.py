# SPDX-License-Identifier: Apache-2.0
"""Writes a program that runs every C++ block of the pages:  cpp_blocks.py OUTPUT

A block becomes the body of a function, between what it takes for granted and what must hold afterwards. A page with other
blocks than BLOCKS has is refused, so that a new block gets its line."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HINGES = """SceneBuilder b("hand");
int link = kWorldBody, joints[4];
for (int k = 0; k < 4; ++k) {
  const int next = b.add_body({.pose = {{0.2 * k, 0, 1}, {}}});
  b.add_shape_box(next, {0.1, 0.02, 0.02}, {.mask = 0});
  joints[k] = b.add_joint_at(JointKind::kHinge, k == 2 ? kWorldBody : link, next, {0.2 * k - 0.1, 0, 1}, {0, 1, 0});
  link = next;
}
const int left = joints[0], right = joints[1], knuckle = joints[2], tip = joints[3];
"""
AXLE = """SceneBuilder b("axle");
const int housing = b.add_body({.pose = {{0, 0, 1}, {}}});
b.add_shape_box(housing, {0.2, 0.1, 0.1}, {.mask = 0});
int joints[3];
for (int k = 0; k < 3; ++k) {
  const int shaft = b.add_body({.pose = {{0.2 * k - 0.2, 0, 1}, {}}});
  b.add_shape_box(shaft, {0.05, 0.02, 0.02}, {.mask = 0});
  joints[k] = b.add_joint_at(JointKind::kHinge, housing, shaft, {0.2 * k - 0.2, 0, 1}, {1, 0, 0});
}
const int left = joints[0], cage = joints[1], right = joints[2];
const int motor = b.add_motor(left);
"""
TACKLE = """SceneBuilder b("tackle");
const int weight = b.add_body({.pose = {{0, 0, 1}, {}}}), load = b.add_body({.pose = {{1, 0, 1}, {}}});
b.add_shape_sphere(weight, 0.1);
b.add_shape_sphere(load, 0.14);
"""
DRONE = """SceneBuilder b("drone");
const int drone = b.add_body({.pose = {{0, 0, 1}, {}}});
b.add_shape_box(drone, {0.2, 0.2, 0.05});
"""
ROBOT = """const testing::TemporaryFolder folder;
folder.write("robot.xml",
             "<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><geom size='.1' pos='1 0 0'/></body></worldbody>"
             "<actuator><motor joint='j'/></actuator><keyframe><key qpos='.5'/></keyframe></mujoco>");
const std::vector<double> controls(4, 1.0);
std::vector<double> angles(4);
const std::vector<char> fallen{1, 0, 0, 1};
"""
ARCH = """const ContactProblem problem = problems::make_problem(problems::arch({.stones = 25}));
std::vector<ContactVec> lambda(problem.size());
"""
SMALLER = [("kCuda", "kCpu"), ("4096", "8"), ("advance(1000)", "advance(100)"), ("\"robot.xml\"", "folder / \"robot.xml\"")]
# page: before and after of each of its blocks, and what stands for what the test's machine lacks
BLOCKS = {
    "docs/architecture.md": [("", "", [])],
    "docs/cpp.md": None,  # tests/consumer, as a project of its own
    "docs/gpu.md": [("const Scene scene = scenes::make(\"stack\", {});", "expect(report.solved == 8 * 100);", SMALLER),
                    (ROBOT, "expect(angles[2] != 0);", [*SMALLER, ("8, Batch", "4, Batch")]),
                    (ARCH, "expect(report.status == Status::kConverged && solver.swept().sweeps > 0);",
                     [("kCuda", "kHost"), ("solver.solve", "const OuterReport report = solver.solve")])],
    "docs/joints.md": [("", "expect(world.joint_velocity(hinge) != 0);", []),
                       ("", "expect(world.joint_position(hip, 1) == 0 && world.step().joint_error < 1e-12);", []),
                       (HINGES, "World world(b.build());\nexpect(world.step().status == StepStatus::kSolved);\n"
                                "expect(std::abs(world.joint_position(left) - world.joint_position(right)) < 1e-10);", []),
                       (AXLE, "World world(b.build());\nworld.set_control(motor, 0.01);\n"
                              "for (int k = 0; k < 10; ++k) world.step();\n"
                              "const double turned = world.joint_position(left) + world.joint_position(right);\n"
                              "expect(std::abs(turned) > 1e-6);\n"
                              "expect(std::abs(2 * world.joint_position(cage) - turned) < 1e-10);", []),
                       (TACKLE, "World world(b.build());\nfor (int k = 0; k < 10; ++k) world.step();\n"
                                "expect(std::abs(world.joint_position(cable) - 3) < 1e-10);", []),
                       (DRONE, "World world(b.build());\nworld.set_control(motor, 80);\nworld.step();\n"
                               "expect(world.joint_velocity(rotor) > 0);", []),
                       ("", "expect(std::abs(world.sensor(weight)[2] - 78.48) < 1e-3);", [])],
    "docs/world.md": [("", "expect(world.steps() == 600);", [])],
}
HEAD = """// SPDX-License-Identifier: Apache-2.0
// Written by tests/docs/cpp_blocks.py.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

#include "problems/arch.h"
#include "repose/batch/batch.h"
#include "repose/large/swept_solver.h"
#include "repose/scene/builder.h"
#include "repose/scene/load.h"
#include "repose/world/world.h"
#include "scenes/registry.h"
#include "tests/support/temporary_folder.h"

using namespace repose;

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}
"""


def blocks(page: str) -> list[str]:
    return re.findall(r"^```cpp\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.S | re.M)


def function(page: str, number: int, block: str, before: str, after: str, instead: list[tuple[str, str]]) -> str:
    for old, new in instead:
        block = block.replace(old, new)
    name = re.sub(r"\W", "_", page) + f"_{number}"
    return f'\nint {name}() {{\n  std::cout << "{page}, block {number}" << std::endl;\n{before}\n{block}{after}\nreturn 0;\n}}\n'


def main(output: str) -> None:
    pages = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))]
    functions = []
    for page in pages:
        found, known = blocks(page), BLOCKS.get(page, [])
        if known is None:
            continue
        if len(found) != len(known):
            sys.exit(f"{page}: expected {len(known)} C++ blocks as in tests/docs/cpp_blocks.py, got {len(found)}")
        functions += [function(page, k, block, *line) for k, (block, line) in enumerate(zip(found, known), 1)]
    calls = [f"  if ({name}() != 0) return 1;" for name in re.findall(r"^int (\w+)\(\) {", "".join(functions), re.M)]
    pathlib.Path(output).write_text("\n".join([HEAD + "".join(functions) + "\n}  // namespace\n", "int main() {", *calls, "}", ""]),
                                    encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
