// SPDX-License-Identifier: Apache-2.0
// Pictures of the page against those in pictures/:   node pictures.mjs REPOSE [--renew]
//
// Two pixels differ when pixelmatch says so (YIQ distance over 0.1; edges that only antialiasing moved do not count). A
// picture passes when at most ALLOWED of its pixels differ. One that fails leaves NAME.seen.png and NAME.difference.png in
// viewer-pictures of the build folder. --renew writes those that differ instead; look at them before they are kept.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { check, eventually, exported, finish, folder, need, needModule, openBrowser, openPage, program, record, repose, serve } from "./support.mjs";

const ALLOWED = 0.001; // share of all pixels
const SAME = 0.1; // distance of two colours that counts as none, from 0 to 1
const renew = process.argv.includes("--renew");
const { default: pixelmatch } = await needModule("pixelmatch");
const { PNG } = need("pngjs");
const kept = fileURLToPath(new URL("pictures/", import.meta.url));
const failed = join(dirname(dirname(program)), "viewer-pictures");
const SIZE = { width: 800, height: 520 };

/// Share of the pixels of two pictures that differ, and a picture of where.
function compare(seen, wanted) {
  if (seen.width !== wanted.width || seen.height !== wanted.height) return { share: 1 };
  const where = new PNG({ width: seen.width, height: seen.height });
  const count = pixelmatch(seen.data, wanted.data, where.data, seen.width, seen.height, { threshold: SAME });
  return { share: count / (seen.width * seen.height), where };
}

/// Small enough for the repository: written with the best filter and compression of the library.
const small = (picture) => PNG.sync.write(picture, { deflateLevel: 9, filterType: -1, colorType: 2 });

function judge(name, bytes) {
  const seen = PNG.sync.read(bytes);
  const file = join(kept, `${name}.png`);
  if (renew) {
    if (existsSync(file) && compare(seen, PNG.sync.read(readFileSync(file))).share === 0) return; // as it was
    writeFileSync(file, small(seen));
    console.log(`renewed: ${name}, ${seen.width} × ${seen.height}`);
    return;
  }
  if (!existsSync(file)) {
    check(false, `${name}: there is no picture to compare with (--renew makes it)`);
    return;
  }
  const { share, where } = compare(seen, PNG.sync.read(readFileSync(file)));
  check(share <= ALLOWED, `${name}: ${(100 * share).toFixed(3)} % of the pixels differ, allowed ${100 * ALLOWED} %`);
  if (share <= ALLOWED) return;
  mkdirSync(failed, { recursive: true });
  writeFileSync(join(failed, `${name}.seen.png`), small(seen));
  if (where) writeFileSync(join(failed, `${name}.difference.png`), small(where));
  console.error(`see ${join(failed, name)}.*.png`);
}

/// Two frames of the browser: what was asked for is on the screen.
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const settle = async (page) => {
  await page.mouse.move(2, 2);
  await page.evaluate(() => document.activeElement?.blur());
  await drawn(page);
};
/// Hidden through the script, as the page's policy lets nobody add a style.
const hide = (page, what, hidden) =>
  page.evaluate(([where, state]) => {
    for (const element of document.querySelectorAll(where)) element.style.visibility = state;
  }, [what, hidden ? "hidden" : ""]);
/// The bodies alone, without any text.
async function scenePicture(page) {
  await hide(page, ".legend, .pane .name", true);
  await settle(page);
  const picture = await page.locator(".pane canvas").first().screenshot({ caret: "initial" });
  await hide(page, ".legend, .pane .name", false);
  return picture;
}
/// Residuals and velocities at rest are rounding: their digits are none of a picture's business.
const blankRounding = (page) =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
      if (!texts.currentNode.parentElement.closest("script, style"))
        texts.currentNode.data = texts.currentNode.data.replace(/-?\d+(\.\d+)?e-\d+/g, "1e-9");
  });
/// The whole page but for the times of the phases, which differ from run to run.
async function wholePage(page) {
  await hide(page, ".plot:nth-child(5)", true);
  await settle(page);
  await blankRounding(page);
  return page.screenshot({ caret: "initial" });
}
const options = (page, wanted) =>
  page.evaluate((w) => {
    Object.assign(window.repose.options, w);
    window.repose.refresh();
  }, wanted);
/// Frame k with its contacts.
async function show(page, k) {
  await page.evaluate((frame) => window.repose.seek(frame), k);
  await eventually(`frame ${k} is shown`, () =>
    page.evaluate((frame) => window.repose.panes.every((pane) => pane.shown === Math.min(frame, pane.run.last) && pane.run.peek(pane.shown)?.complete), k));
  await page.waitForTimeout(120); // contacts are drawn when the slider rests
}

/// Text looks different with other fonts, and whole pages hold text: these are compared where the fonts are those of the
/// kept pictures, told by the width of a line.
async function sameFonts(page) {
  const width = await page.evaluate(() => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = getComputedStyle(document.documentElement).font;
    return pen.measureText("The quick brown fox jumps over 0123456789 r_c · nat").width;
  });
  const file = join(kept, "text_width.json");
  if (renew) writeFileSync(file, `${JSON.stringify(width)}\n`);
  return Math.abs(JSON.parse(readFileSync(file, "utf8")) - width) < 0.01;
}

rmSync(failed, { recursive: true, force: true });
const arch = record("arch", "arch", "--set", "projectiles=true", "--set", "projectile_time=0.5", "--time", "1");
const relaxed = record("relaxed", "incline", "--set", "mu=0.3", "--outer", "relaxed", "--time", "0.5");
const exact = record("exact", "incline", "--set", "mu=0.3", "--time", "0.5");
const backspin = record("backspin", "backspin", "--time", "0.5");
const html = exported(arch, join(folder, "arch.html"));
const browser = await openBrowser();

// --- the bodies alone ---------------------------------------------------------------------------------------------
const served = await serve(arch);
const page = await openPage(browser, `${served.url}&theme=light`, SIZE);
const text = await sameFonts(page);
if (!text) console.log("left out: whole pages (this machine has other fonts than the kept pictures)");
const judgePage = async (name, which) => text && judge(name, await wholePage(which));
await show(page, 20);
judge("arch-light", await scenePicture(page));
await judgePage("page-light", page);
await page.keyboard.press("t");
judge("arch-dark", await scenePicture(page));
await judgePage("page-dark", page);
await page.keyboard.press("t");
await options(page, { forces: true, cones: true });
await page.evaluate(() => window.repose.panes[0].stage.look("front"));
judge("forces-and-cones", await scenePicture(page));

// A comparison that passes whatever is drawn is none: without shadows, or with one colour for all contacts, it must fail.
if (!renew) {
  const wanted = PNG.sync.read(readFileSync(join(kept, "forces-and-cones.png")));
  const share = async () => compare(PNG.sync.read(await scenePicture(page)), wanted).share;
  const notices = async (what) => {
    const found = await share();
    check(found > ALLOWED, `the comparison notices ${what} (${(100 * found).toFixed(2)} % differ)`);
  };
  const sun = (on) => page.evaluate((s) => {
    window.repose.panes[0].stage.sun.castShadow = s;
    window.repose.refresh();
  }, on);
  await sun(false);
  await notices("that the shadows are gone");
  await sun(true);
  await options(page, { contacts: false });
  await notices("that the contact points are gone");
  await options(page, { contacts: true });
  await page.evaluate(() => {
    const points = window.repose.panes[0].stage.glyphs.points.mesh;
    points.instanceColor.array.fill(0.6);
    points.instanceColor.needsUpdate = true;
    window.repose.dirty = true;
  });
  await notices("that all contacts have one colour");
  await options(page, {});
  check((await share()) <= ALLOWED, "and passes again with all of them");
}
await options(page, { forces: false, cones: false, contacts: false, thrust: true });
judge("thrust", await scenePicture(page));
await options(page, { contacts: true, thrust: false, colourBy: "id" });
await page.evaluate(() => window.repose.pick(5));
await judgePage("body-panel", page);
await page.close();
served.child.kill();

const ball = await serve(backspin);
const rolling = await openPage(browser, `${ball.url}&theme=light`, SIZE);
await options(rolling, { velocities: true, colourBy: "speed" });
await show(rolling, 12);
judge("velocity-and-speed", await scenePicture(rolling));
await rolling.close();
ball.child.kill();

// --- two runs, a phone, a file, a live run, `repose render` -------------------------------------------------------
const both = await serve(exact, relaxed);
const pair = await openPage(browser, `${both.url}&theme=light`, SIZE);
await show(pair, 25);
await judgePage("compare", pair);
await pair.close();
both.child.kill();

const address = `${pathToFileURL(html)}#theme=light&frame=20`;
const file = await openPage(browser, address, SIZE);
await show(file, 20);
judge("arch-light", await scenePicture(file)); // the same picture as from the program
await judgePage("page-light", file);
await file.close();

const phone = await openPage(browser, address.replace("light", "dark"), { width: 390, height: 700 });
await show(phone, 20);
await judgePage("phone", phone);
await phone.getByLabel("Show or hide the panel").click();
await judgePage("phone-panel", phone);
await phone.close();

const live = await serve("stack", "--paused");
const run = await openPage(browser, `${live.url}&theme=dark`, SIZE);
for (let k = 1; k <= 3; ++k) {
  await run.getByRole("button", { name: "One step" }).click();
  await eventually(`step ${k} is taken`, () => run.evaluate((n) => window.repose.run.last === n, k));
}
await run.waitForTimeout(400); // the plots follow
judge("live-scene", await scenePicture(run));
await judgePage("live", run);
await run.close();
live.child.kill();

const robot = await serve(fileURLToPath(new URL("robot.xml", import.meta.url)), "--paused");
const arm = await openPage(browser, `${robot.url}&theme=light`, { width: 800, height: 900 });
await arm.getByRole("button", { name: "One step" }).click();
await eventually("the robot takes a step", () => arm.evaluate(() => window.repose.run.last === 1));
await arm.waitForTimeout(400);
judge("joints-scene", await scenePicture(arm));
if (text) {
  await settle(arm);
  judge("joints-panel", await arm.locator(".joints").screenshot({ caret: "initial" }));
}
await arm.close();
robot.child.kill();

const picture = join(folder, "render.png");
repose("render", arch, "--frame", "20", "--out", picture, "--size", "480x300", "--forces", "--theme", "dark", "--camera", "side");
judge("render", readFileSync(picture));
await finish(browser);
