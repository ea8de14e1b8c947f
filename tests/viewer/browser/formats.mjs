// SPDX-License-Identifier: Apache-2.0
// glTF passes Khronos' validator; `repose render` makes pictures.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check, exported, finish, folder, need, openBrowser, record, repose } from "./support.mjs";

const validator = need("gltf-validator");
const robot = fileURLToPath(new URL("robot.xml", import.meta.url));
for (const [scene, what] of [["arch", "arch"], ["turntable", "turntable"], ["backspin", "backspin"], ["robot", robot]]) {
  const file = record(scene, what, "--time", "0.5");
  const glb = exported(file, join(folder, `${scene}.glb`));
  const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(glb)));
  check(issues.numErrors === 0 && issues.numWarnings === 0, `${scene}.glb is valid ${JSON.stringify(issues.messages.slice(0, 2))}`);
  check(info.animationCount === 1, `${scene}.glb is animated`);
}
exported(join(folder, "arch.h5"), join(folder, "arch.html"));
const browser = await openBrowser();
const picture = join(folder, "arch.png");
repose("render", join(folder, "arch.h5"), "--frame", "20", "--out", picture, "--size", "320x180", "--forces");
const png = readFileSync(picture);
check(png.readUInt32BE(16) === 320 && png.readUInt32BE(20) === 180, "the picture has the size that was asked for");
check(png.length > 5000, "and something on it");
await finish(browser);
