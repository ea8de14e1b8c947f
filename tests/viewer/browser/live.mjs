// SPDX-License-Identifier: Apache-2.0
// `repose view`: recorded runs over the wire, a live run that is changed, dragged and watched by two.
import { accessibility, check, complain, eventually, exported, finish, folder, openBrowser, openPage, record, serve } from "./support.mjs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const recording = record("cards", "cards", "--time", "1");
exported(recording, join(folder, "cards.html"));
const browser = await openBrowser();

const recorded = await serve(recording, recording);
const film = await openPage(browser, recorded.url);
check((await film.evaluate(() => window.repose.panes.length)) === 2, "two recordings are served");
await film.evaluate(() => window.repose.seek(59));
await eventually("a frame of the end arrives", () => film.evaluate(() => window.repose.run.peek(59) !== undefined));
await film.close();
recorded.child.kill();

const live = await serve("incline", "--set", "mu=0.6", "--paused");
const page = await openPage(browser, live.url);
const cube = () =>
  page.evaluate(() => {
    const { run } = window.repose;
    const body = run.header.bodies.findIndex((b) => b.kind === "dynamic");
    const frame = run.peek(run.last);
    return frame ? Array.from(frame.bodies.subarray(14 * body, 14 * body + 3)) : [0, 0, 0];
  });
const start = await cube();
const moved = (at) => Math.hypot(...at.map((x, k) => x - start[k]));
await page.getByRole("button", { name: "One step" }).click();
await eventually("a step is one frame more", () => page.evaluate(() => window.repose.run.last >= 1));
await page.getByRole("button", { name: "Go on with the run" }).click();
await eventually("the run goes on", () => page.evaluate(() => window.repose.run.last > 5));
check(moved(await cube()) < 1e-3, "with mu 0.6 the cube sticks");
await page.getByLabel("mu", { exact: true }).fill("0.2");
await page.getByLabel("mu", { exact: true }).press("Enter");
await eventually("with mu 0.2 it slides", async () => moved(await cube()) > 0.5);
check((await page.textContent(".badge")).includes("✓ solved"), "exactly");

await page.getByLabel("friction law").selectOption("relaxed");
await eventually("relaxed, the certificate fails", async () => (await page.textContent(".badge")).includes("✗ unsolved"));
await eventually("relaxed, the sliding cube lifts off", () =>
  page.evaluate(() => {
    const { run } = window.repose;
    const frame = run.peek(run.last);
    return run.last > 2 && frame.contacts > 0 && Math.max(...Array.from({ length: frame.contacts }, (_, i) => frame.contactNumbers[14 * i + 9])) > 1e-6;
  }));
await page.getByLabel("friction law").selectOption("exact");

for (const fault of await accessibility(page)) complain(`axe: ${fault}`);

// A second page watches, without the token and so without commands.
const watcher = await openPage(browser, live.url.split("#")[0]);
await eventually("a second page watches", () => watcher.evaluate(() => window.repose.run.last > 1));
check(await watcher.getByLabel("friction law").isDisabled(), "without the token it cannot command");
await watcher.close();

// Dragging.
await page.getByLabel("mu", { exact: true }).fill("0.9");
await page.getByLabel("mu", { exact: true }).press("Enter");
await page.getByLabel("mouse").selectOption("pull");
await eventually("the cube stands again", async () => {
  const here = await page.evaluate(() => window.repose.run.header.parameters.mu === "0.9" && window.repose.run.last > 2);
  return here && moved(await cube()) < 0.05;
});
const spot = await page.evaluate(() => {
  const stage = window.repose.panes[0].stage;
  const box = stage.canvas.getBoundingClientRect();
  const hits = [];
  for (let y = box.top + 30; y < box.bottom - 30; y += 10)
    for (let x = box.left + 30; x < box.right - 30; x += 10) if (stage.pick(x, y)) hits.push([x, y]);
  // The middle of what is seen of the cube.
  return hits.length > 0 ? [0, 1].map((k) => hits.reduce((sum, hit) => sum + hit[k], 0) / hits.length) : null;
});
if (spot) {
  await page.mouse.move(spot[0], spot[1]);
  await page.mouse.down();
  let nudge = 0;
  await eventually("a dragged cube follows", async () => {
    await page.mouse.move(spot[0] + 20 + (++nudge % 2), spot[1] - 150);  // a hand is never quite still
    return moved(await cube()) > 0.3;
  });
  await page.mouse.up();
} else complain("no body to drag");

// Throwing, another scene, from the start again.
const thrown = () =>
  page.evaluate(() => {
    const { run } = window.repose;
    const frame = run.peek(run.last);
    return run.header.bodies.filter((b, k) => b.name.startsWith("thrown-") && frame?.present(k)).length;
  });
check((await thrown()) === 0, "no ball before the first is thrown");
await page.getByLabel("mouse").selectOption("throw");
const canvas = await page.locator(".pane canvas").boundingBox();
await page.mouse.click(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
await eventually("a click throws a ball", async () => (await thrown()) === 1);
await page.getByLabel("scene", { exact: true }).selectOption("stack");
await eventually("another scene is shown", () => page.evaluate(() => window.repose.run.header.scene === "stack"));
await page.getByLabel("count, slider").fill("3");
await eventually("a slider changes the scene", () =>
  page.evaluate(() => window.repose.run.header.bodies.filter((b) => b.kind === "dynamic" && !b.name.startsWith("thrown-")).length === 3));
await eventually("it goes on", () => page.evaluate(() => window.repose.run.last > 20));
await page.locator(".pane canvas").focus();
await page.keyboard.press("Space");
await eventually("the space bar pauses the run", () => page.getByRole("button", { name: "Go on with the run" }).isVisible());
await page.keyboard.press("Home");
await eventually("looking back, the button plays what was kept", () => page.getByRole("button", { name: "Play (space)" }).isVisible());
await page.keyboard.press("End");
await page.getByRole("button", { name: "Go on with the run" }).click();
const frames = await page.evaluate(() => window.repose.run.last);
await eventually("the run goes on from its newest frame", () => page.evaluate((n) => window.repose.run.last > n, frames));
await page.getByRole("button", { name: "Pause the run" }).click();
await page.getByRole("button", { name: "Reset" }).click();
await eventually("from the start again", () => page.evaluate(() => window.repose.run.last === 0));
await page.getByRole("button", { name: "One step" }).click();
await page.getByRole("button", { name: "One step" }).click();
await eventually("two steps are two frames", () => page.evaluate(() => window.repose.run.last === 2));

// A page that goes away stops nothing.
await page.getByRole("button", { name: "Go on with the run" }).click();
const other = await openPage(browser, live.url);
const before = await other.evaluate(() => window.repose.run.series[0].at(-1));
await other.close();
await eventually("the run goes on without a page that left", () => page.evaluate((t) => window.repose.run.series[0].at(-1) > t + 0.2, before));

page.serverIsGone = true;
live.child.kill();
await eventually("a vanished program is said", async () => (await page.locator(".banner").isVisible()) && (await page.textContent(".banner")).includes("stopped"));
// A robot: sliders drive its actuators, axes and coordinates are shown.
const robot = await serve(fileURLToPath(new URL("robot.xml", import.meta.url)), "--paused");
const arm = await openPage(browser, robot.url);
await arm.getByLabel("Control of pan servo").fill("1.5");
await arm.getByRole("button", { name: "Go on with the run" }).click();
const pan = () => arm.evaluate(() => {
  const { run } = window.repose;
  return run.peek(run.last).jointNumbers(run.header.bodies.length)[0];
});
await eventually("a slider turns the arm", async () => Math.abs((await pan()) - 1.5) < 0.05);
check(/pan\s+1\.\d+ rad/.test(await arm.locator(".joints").innerText()), "the panel says so");
const axes = () => arm.evaluate(() => window.repose.panes[0].stage.glyphs.heads.mesh.count);
check((await axes()) === 4, "each hinge and slide has an axis");
await arm.locator("canvas").first().focus();
await arm.keyboard.press("j");
await eventually("J hides them", async () => (await axes()) === 0);
for (const fault of await accessibility(arm)) complain(`axe: ${fault}`);
const viewer = await openPage(browser, robot.url.split("#")[0]);
check((await viewer.getByLabel("Control of pan servo").count()) === 0, "without the token there are no sliders");
await viewer.close();
await arm.close();
robot.child.kill();

await finish(browser);
