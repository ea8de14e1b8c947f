// SPDX-License-Identifier: Apache-2.0
// An exported page, opened from a file: play, scrub, pick, compare, keyboard, labels, contrast, phone.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { accessibility, check, eventually, exported, finish, folder, openBrowser, openPage, program, record, repose, serve } from "./support.mjs";

const recording = record("arch", "arch", "--set", "projectiles=true", "--set", "projectile_time=1", "--time", "3");
const html = exported(recording, join(folder, "arch.html"));
const browser = await openBrowser();
const address = `${pathToFileURL(html)}#theme=light`;
const page = await openPage(browser, address);
check(statSync(html).size < 4e6, "the page is small");

// Frame-exact: what is drawn at frame 130 is what the table says.
repose("export", recording, "--to", join(folder, "arch.csv"), "--quiet");
const rows = readFileSync(join(folder, "arch.csv"), "utf8").trim().split("\n").slice(1).map((row) => row.split(","));
const row = rows.find((r) => r[0] === "130" && r[3] === "stone-12");
const shown = await page.evaluate(async () => {
  const app = window.repose;
  app.seek(130);
  const frame = await app.run.load(130);
  const body = app.run.header.bodies.findIndex((b) => b.name === "stone-12");
  return { at: Array.from(frame.bodies.subarray(14 * body, 14 * body + 3)), frame: app.frame, count: frame.contacts };
});
check(shown.frame === 130, "seek goes to the frame");
check(shown.at.every((x, k) => Math.abs(x - Number(row[5 + k])) <= 1e-6 * Math.max(1, Math.abs(x))), "the pose is that of the table");
check((await page.textContent(".badge")).includes("✓ solved"), "the certificate is shown");
check((await page.textContent(".legend")).includes("stick"), "the legend names the modes");
const limits = await page.evaluate(() => [window.repose.run.header.tolerance, window.repose.run.header.accept]);
check(limits[0] === 1e-8 && limits[1] === 1e-4, "the page knows goal and acceptable residual");
for (const [tolerance, accept, word, frame] of [[-1, 1, "≈ accepted", 131], [-1, 0, "✗ unsolved", 132], [...limits, "✓ solved", 130]]) {
  await page.evaluate(([tolerance, accept, frame]) => {
    Object.assign(window.repose.run.header, { tolerance, accept });
    window.repose.seek(frame);
  }, [tolerance, accept, frame]);
  await eventually(`the badge says ${word}`, async () => (await page.textContent(".badge")).includes(word));
}

// The last frame has the contacts of the step that led to it; any other those of the step that begins there.
const ends = await page.evaluate(async () => {
  const { run } = window.repose;
  const numbers = async (k) => Array.from((await run.load(k)).contactNumbers).join();
  return { same: (await numbers(run.last)) === (await numbers(run.last - 1)), poses: (await run.load(run.last)).index === run.last };
});
check(ends.same && ends.poses, "the last frame has the contacts of the last step");

// The line of thrust before the projectiles: one piece in each of the 23 stones, from joint to joint.
await page.evaluate(() => window.repose.seek(20));
await page.keyboard.press("c");
await page.keyboard.press("l");
await eventually("the line of thrust is drawn", () => page.evaluate(() => window.repose.panes[0].stage.glyphs.shafts.mesh.count === 23));
const pieces = await page.evaluate(() => {
  const { mesh } = window.repose.panes[0].stage.glyphs.shafts;
  return Array.from({ length: mesh.count }, (_, k) => {
    const m = mesh.instanceMatrix.array.slice(16 * k, 16 * k + 16);
    return [[m[12], m[13], m[14]], [m[12] + m[8], m[13] + m[9], m[14] + m[10]]];
  });
});
const near = (p, q) => Math.hypot(...p.map((x, k) => x - q[k])) < 1e-4 * Math.abs(pieces[0][0][0]);
const open = pieces.flat().filter((end, k, all) => !all.some((other, l) => l !== k && near(end, other)));
check(open.length === 2, "the line of thrust is one line, from foot to foot");
check(near(open[0], [-open[1][0], open[1][1], open[1][2]]), "and both feet are mirror images of each other");
await page.keyboard.press("l");
await page.keyboard.press("c");

// A pointer that rests on a stone is told what it is; what is on the screen can be kept.
const stone = await page.locator(".pane canvas").boundingBox();
await page.evaluate(() => window.repose.panes[0].stage.look("front"));
await page.mouse.move(stone.x + stone.width / 2, stone.y + 0.1 * stone.height);
for (let down = 0.1; down < 0.6 && !(await page.locator(".hover").isVisible()); down += 0.02) {
  await page.mouse.move(stone.x + stone.width / 2, stone.y + down * stone.height);
  await page.waitForTimeout(150);
}
check(/stone-\d+ · 0 m\/s · contact force [\d.e]+ N/.test(await page.locator(".hover").innerText()), "the pointer is told body, speed and force");
const saved = async (press) => {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
};
const still = await saved(() => page.getByLabel("Picture: save what is shown").click());
check(still.name === "arch-20.png" && still.bytes.subarray(1, 4).toString() === "PNG" && still.bytes.length > 1e4, "a picture is saved");
const film = page.getByLabel("Clip: film what is shown");
await film.click();
for (let k = 0; k < 8; ++k) {
  await page.evaluate(() => window.repose.step(1));  // each is drawn, and drawing is what a clip is made of
  await page.waitForTimeout(200);
}
const clip = await saved(() => film.click());
check(/^arch-\d+\.(webm|mp4)$/.test(clip.name) && clip.bytes.length > 1e3, "a clip is saved");
await page.evaluate(() => window.repose.panes[0].stage.look("corner"));
await page.locator(".pane canvas").focus();

// Time.
await page.keyboard.press("Home");
await page.keyboard.press("Space");
await eventually("playing moves on", () => page.evaluate(() => window.repose.frame > 5));
await page.keyboard.press("Space");
const here = await page.evaluate(() => window.repose.frame);
await page.keyboard.press("ArrowRight");
check((await page.evaluate(() => window.repose.frame)) === here + 1, "an arrow key is one frame");
await page.keyboard.press("n");
check((await page.textContent(".clock")).startsWith("1.0"), "the next event is at one second");
check((await page.locator(".marks .event").count()) > 0 && (await page.locator(".marks .worst").count()) === 1, "events and the worst step are marked");
await page.keyboard.press("w");
const worst = await page.evaluate(() => {
  const { run, frame } = window.repose;
  const worst = run.series[1].map((rc, k) => Math.max(rc, run.series[2][k]));
  return worst[frame] === Math.max(...worst);
});
check(worst, "W goes to the worst step");
await page.getByLabel("Frame", { exact: true }).fill("60");
check((await page.evaluate(() => window.repose.frame)) === 60, "the slider scrubs");
const missing = await page.evaluate(async () => {
  const { run } = window.repose;
  await run.prefetch(0);
  return Array.from({ length: run.last + 1 }, (_, k) => k).filter((k) => !run.peek(k)?.complete);
});
check(missing.length === 0, `every frame is here before it is asked for (${missing.length} missing)`);
const followed = await page.evaluate(async () => {
  const { panes, run } = window.repose;
  const seen = [];
  for (let k = run.last; k >= 0; k -= 7) {
    window.repose.seek(k);
    seen.push(panes[0].shown === k);
  }
  return seen.every(Boolean);
});
check(followed, "scrubbing shows each frame at once");

// Picking and what is drawn.
const area = await page.locator(".pane canvas").boundingBox();
const spot = await page.evaluate(() => {
  const stage = window.repose.panes[0].stage;
  const box = stage.canvas.getBoundingClientRect();
  for (let x = box.left + 20; x < box.right - 20; x += 8)
    for (let y = box.top + 20; y < box.bottom - 20; y += 8) if (stage.pick(x, y)) return [x, y];
  return null;
});
check(spot !== null && spot[0] > area.x, "a body can be found");
await page.mouse.click(spot[0], spot[1]);
await eventually("picking opens the panel", () => page.locator(".picked").isVisible());
check(/mass|static/.test(await page.textContent(".picked")), "the panel tells about the body");
for (const key of ["g", "o", "v", "c", "c"]) await page.keyboard.press(key);
for (const by of ["speed", "force", "id", "body"]) await page.getByLabel("bodies by").selectOption(by);
for (const key of ["1", "2", "3", "4", "f", "t", "t", "p", "p"]) await page.keyboard.press(key);
await page.keyboard.press("Escape");
check(!(await page.locator(".picked").isVisible()), "Escape lets go");

// Everything that can be used has a name, and the text stands out.
const nameless = await page.evaluate(() =>
  Array.from(document.querySelectorAll("button, select, input")).filter((e) => {
    const label = e.getAttribute("aria-label") ?? e.closest("label")?.textContent ?? "";
    return label.trim() === "";
  }).length);
check(nameless === 0, "every control has a name");
for (const theme of ["dark", "light"]) {
  const low = await page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
    const style = getComputedStyle(document.documentElement);
    const light = (key) => {
      const text = style.getPropertyValue(key).trim().replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
      const [r, g, b] = text.match(/[0-9a-f]{2}/gi).slice(0, 3).map((h) => {
        const c = parseInt(h, 16) / 255;
        return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    return Math.min(...["--ink", "--dim", "--good", "--bad"].map((ink) => ratio(ink, "--card")), ratio("--on-accent", "--accent"));
  }, theme);
  check(low >= 4.5, `contrast in the ${theme} theme is ${low.toFixed(1)} to 1`);
}
// The rules of WCAG 2 that a program can check, with the panel of a body and the plots open.
for (const theme of ["dark", "light"]) {
  await page.evaluate((name) => {
    document.documentElement.dataset.theme = name;
    window.repose.showPlots(true);
    window.repose.pick(3);
    window.repose.say("Something to be said, as when the program has stopped");
  }, theme);
  const faults = await accessibility(page);
  check(faults.length === 0, `axe finds no fault in the ${theme} theme ${faults.join("; ")}`);
  await page.evaluate(() => {
    window.repose.say("");
    window.repose.pick(-1);
  });
}
await page.evaluate(() => document.activeElement?.blur());
const reached = new Set();
for (let k = 0; k < 40; ++k) {
  await page.keyboard.press("Tab");
  reached.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.type));
}
check(reached.has("Frame") && [...reached].some((name) => name?.startsWith("Play")), "the keyboard reaches the timeline");
await page.close();

// Bodies of one form are drawn together: surfaces, shadows and edges of 40 dominoes, the ground, contact points.
const rowPage = await openPage(browser, String(pathToFileURL(exported(record("row", "dominoes", "--set", "count=40", "--steps", "5"), join(folder, "row.html")))));
const calls = await rowPage.evaluate(() => {
  const { stage } = window.repose.panes[0];
  stage.renderer.info.autoReset = false; // three forgets the shadows otherwise
  stage.renderer.info.reset();
  stage.draw();
  return stage.renderer.info.render.calls;
});
// Bodies, their edges, shadows and contact points are instanced; the ground and the triad of axes take five more.
check(calls >= 3 && calls <= 10, `40 bodies take ${calls} draw calls`);
await rowPage.close();

// Inside a frame without an address of its own, as in a notebook.
const text = readFileSync(html, "utf8").replace('<script type="application/json" id="repose-header-0">',
  '<script type="application/json" id="repose-start">{"frame": 42, "theme": "dark"}</script>$&');
const quoted = text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const sheet = join(folder, "sheet.html");
writeFileSync(sheet, `<!doctype html><meta charset="utf-8"><title>sheet</title><iframe srcdoc="${quoted}" style="width: 900px; height: 480px"></iframe>`);
const book = await browser.newPage();
book.on("pageerror", (error) => check(false, `in a frame: ${error.message}`));
await book.goto(String(pathToFileURL(sheet)));
const inner = book.frameLocator("iframe");
await inner.locator("#app[data-ready=true]").waitFor({ timeout: 60000 });
check((await inner.locator(".clock").textContent()).includes("frame 42"), "a page in a frame begins where it is told to");
check((await inner.locator("html").getAttribute("data-theme")) === "dark", "with the theme it is told");
await book.close();

// A phone.
const phone = await openPage(browser, address, { width: 390, height: 780 });
check(await phone.evaluate(() => document.documentElement.scrollWidth <= 390), "nothing sticks out at phone width");
check(await phone.getByLabel("Show or hide the panel").isVisible(), "the panel can be opened");
await phone.close();

// Two runs side by side.
const relaxed = record("relaxed", "arch", "--outer", "relaxed", "--accept", "0", "--tol", "1e-6", "--time", "1");
const both = await openPage(browser, String(pathToFileURL(exported(recording, join(folder, "both.html"), "--with", relaxed))));
const cameras = await both.evaluate(() => {
  const { panes } = window.repose;
  panes[0].stage.look("top");
  return panes.map((pane) => pane.stage.camera.position.toArray().map((x) => Math.round(100 * x)).join());
});
check(cameras.length === 2 && cameras[0] === cameras[1], "compared runs share a camera");
await both.evaluate(() => window.repose.seek(30));
const said = await both.locator(".pane .name").allTextContents();
check(said.length === 2 && said[0].includes("r_c") && said[0].endsWith("✓") && said[1].endsWith("✗"), `each says how well it was solved (${said})`);
const tolerances = await both.textContent(".about");
check(tolerances.includes("tolerance 1.00e-8 | 1.00e-6"), `both tolerances are said (${tolerances})`);
await eventually("each has its own legend", async () =>
  (await both.locator(".pane .legend:visible").allTextContents()).filter((text) => text.includes("stick")).length === 2);
await both.close();

// Ours beside poses of another program: other bodies, fewer frames, no contacts, no certificates.
const python = fileURLToPath(new URL("../../../.venv/bin/python", import.meta.url));
const packages = join(program, "../../python");
if (existsSync(python) && existsSync(join(packages, "repose"))) {
  const foreign = join(folder, "peer.h5");
  const code = `import repose, numpy as np
model = repose.scenes.stack(count=2)
data = repose.Data(model)
time = np.linspace(0, 1, 21)
position = np.repeat(data.frame_position[None], 21, axis=0)
position[:, -1, 2] += time ** 2
repose.write_recording("${foreign}", model, time, position, np.repeat(data.quaternion[None].copy(), 21, axis=0), program="Peer 1.0")`;
  execFileSync(python, ["-c", code], { env: { ...process.env, PYTHONPATH: packages } });
  for (const [first, second] of [[recording, foreign], [foreign, recording]]) {
    const server = await serve(first, second);
    const mixed = await openPage(browser, server.url);
    await mixed.evaluate(() => window.repose.seek(10));
    await eventually("both are at the same time", () =>
      mixed.evaluate(() => {
        const { panes } = window.repose;
        const [a, b] = panes.map((pane) => pane.run.series[0][pane.shown] ?? -1);
        return panes[0].shown === 10 && Math.abs(a - b) <= 0.026;
      }));
    const names = await mixed.locator(".pane .name").allTextContents();
    check(names.some((text) => text.includes("no certificate")) && names.some((text) => text.includes("r_c")), `each says what it has (${names})`);
    if (first === foreign) check((await mixed.textContent(".badge")) === "no certificate" && (await mixed.textContent(".about")).includes("by Peer 1.0"), "who made it is said");
    await mixed.keyboard.press("w");
    await mixed.evaluate(() => window.repose.pick(2, window.repose.panes[1]));
    await mixed.keyboard.press("g");
    await mixed.keyboard.press("End");
    await mixed.close();
    server.child.kill();
  }
} else console.log("left out: poses of another program (no Python package in this build)");
await finish(browser);
