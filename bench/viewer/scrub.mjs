// SPDX-License-Identifier: Apache-2.0
// How fast a long recording opens and scrubs in Chromium:   node bench/viewer/scrub.mjs REPOSE RECORDING [JUMPS]
//
// Jumps are timed without drawing: from the slider's new value until the poses of that frame are on stage. Drawing is timed
// on its own, as one call after the other with all contacts: without a graphics card it is done in software, which says
// little about a user's machine; what the page's own script costs per frame says more. On a machine that others use, too,
// the CPU time of the page's main thread and of the program says more than the clock.
import { createRequire } from "node:module";
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [program, recording, jumps = "300"] = process.argv.slice(2);
const { chromium } = createRequire(new URL("../../apps/viewer_page/package.json", import.meta.url))("playwright-core");
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"];
const executablePath = process.env.REPOSE_BROWSER ?? "/usr/bin/chromium";

/// In the page: times in ms of jumps to random frames (`kind` early: nothing prefetched), or of the slider from end to end.
async function measure({ jumps, kind }) {
  const app = window.repose;
  const pane = app.panes[0];
  pane.stage.draw = () => undefined;
  let arrived = () => undefined;
  const show = Object.getPrototypeOf(pane.stage).show;
  pane.stage.show = function (frame, options) {
    show.call(this, frame, options);
    arrived(frame.index);
  };
  const last = app.run.last;
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const place = async (k) => {
    const start = performance.now();
    const here = app.run.peek(k) !== undefined;
    const time = await new Promise((done) => {
      arrived = (index) => index === k && done(performance.now() - start);
      app.seek(k);
    });
    await new Promise((done) => setTimeout(done, 0));
    return [time, here];
  };
  const spread = (list) => {
    const sorted = list.map(([ms]) => ms).sort((a, b) => a - b);
    const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
    return { count: sorted.length, median: at(0.5), p95: at(0.95), max: at(1), within16: sorted.filter((x) => x <= 16.7).length };
  };
  const many = async (frames) => {
    const times = [];
    for (const k of frames) times.push(await place(k));
    return { warm: spread(times.filter(([, here]) => here)), cold: spread(times.filter(([, here]) => !here)) };
  };
  const wild = () => Array.from({ length: jumps }, () => Math.floor(random() * (last + 1)));
  const drag = Array.from({ length: jumps }, (_, k) => Math.floor((last * k) / jumps));
  return many(kind === "drag" ? drag : wild());
}

/// In the page: frames one after the other with drawing, as playing does it; the time until the last pixel is there, the
/// calls of one frame (shadows included), and then the same without waiting for pixels, as with a graphics card.
async function drawing({ frames, wait, ...options }) {
  const app = window.repose;
  const { stage } = app.panes[0];
  delete stage.draw;
  delete stage.show;
  const { renderer } = stage;
  const gl = renderer.getContext();
  const pixel = new Uint8Array(4);
  Object.assign(app.options, options);
  const first = Math.floor(app.run.last / 2);
  for (let k = 0; k < frames; ++k) await app.run.load(first + k);
  renderer.info.autoReset = false;
  const times = [];
  let calls = 0;
  for (let k = 0; k < frames; ++k) {
    const start = performance.now();
    renderer.info.reset();
    app.seek(first + k);
    stage.draw();
    calls = renderer.info.render.calls;
    app.dirty = false; // once per frame is enough
    if (wait) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    times.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
  }
  times.sort((a, b) => a - b);
  return { median: times[frames >> 1], p95: times[Math.floor(0.95 * frames)], calls };
}

/// CPU time so far, ms.
const ofProcess = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
};

async function look(browser, url, pid) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpu = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return { page: 1000 * metrics.find((m) => m.name === "TaskDuration").value, program: pid ? ofProcess(pid) : 0 };
  };
  const timed = async (job) => {
    const before = await cpu();
    const start = performance.now();
    const found = await job();
    const clock = performance.now() - start;
    const after = await cpu();
    return { found, clock, page: after.page - before.page, program: after.program - before.program };
  };
  const open = await timed(async () => {
    await page.goto(url);
    await page.waitForSelector("#app[data-ready=true]", { timeout: 120000 });
  });
  const count = Number(jumps);
  const early = await timed(() => page.evaluate(measure, { jumps: count, kind: "early" }));
  const rest = await timed(() => page.evaluate(() => window.repose.run.prefetch(0)));
  const later = await timed(() => page.evaluate(measure, { jumps: count, kind: "later" }));
  const drag = await timed(() => page.evaluate(measure, { jumps: count, kind: "drag" }));
  const draw = {};
  for (const [name, options] of Object.entries({
    bodies: { contacts: false, forces: false }, "and contact points": { contacts: true, forces: false }, "and forces": { contacts: true, forces: true } })) {
    const script = await timed(() => page.evaluate(drawing, { frames: 16, wait: false, ...options }));
    const pixels = await timed(() => page.evaluate(drawing, { frames: 16, wait: true, ...options }));
    draw[name] = { script, pixels };
  }
  await page.close();
  return { open, early, rest, later, drag, draw };
}

function show(name, found) {
  const row = (what, s) =>
    s.count > 0 && console.log(`${name.padEnd(9)} ${what.padEnd(26)} ${String(s.count).padStart(5)}  median ${s.median.toFixed(2)}  p95 ${s.p95.toFixed(2)}  max ${s.max.toFixed(1)} ms  within 16.7 ms ${((100 * s.within16) / s.count).toFixed(1)} %`);
  const cpu = (t, n = 1) => `CPU time of the page ${(t.page / n).toFixed(2)} ms, of the program ${(t.program / n).toFixed(2)} ms`;
  console.log(`${name.padEnd(9)} open ${found.open.clock.toFixed(0)} ms; ${cpu(found.open)}`);
  console.log(`${name.padEnd(9)} all poses here after another ${found.rest.clock.toFixed(0)} ms; ${cpu(found.rest)}`);
  for (const [what, timed] of Object.entries({ "jumps at once": found.early, "jumps later": found.later, "slider over everything": found.drag })) {
    for (const kind of ["cold", "warm"]) row(`${what}, ${kind}`, timed.found[kind]);
    console.log(`${name.padEnd(9)} ${what.padEnd(26)}  each: ${cpu(timed, Number(jumps))}`);
  }
  for (const [what, { script, pixels }] of Object.entries(found.draw)) {
    const { found: s } = script;
    console.log(`${name.padEnd(9)} draw ${what.padEnd(21)} ${s.calls} calls; script median ${s.median.toFixed(2)}  p95 ${s.p95.toFixed(2)} ms; in software until the last pixel median ${pixels.found.median.toFixed(1)}  p95 ${pixels.found.p95.toFixed(1)} ms`);
  }
}

const browser = await chromium.launch({ executablePath, args });
const server = spawn(program, ["view", recording, "--quiet", "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const start = performance.now();
  const url = await new Promise((done) => server.stdout.once("data", (text) => done(String(text).trim())));
  console.log(`served    the program listens after ${(performance.now() - start).toFixed(0)} ms`);
  show("served", await look(browser, url, server.pid));
  if (statSync(recording).size < 3e8) {
    const folder = mkdtempSync(join(tmpdir(), "repose-scrub-"));
    const page = join(folder, "run.html");
    execFileSync(program, ["export", recording, "--to", page, "--quiet"]);
    console.log(`exported  ${(statSync(page).size / 1e6).toFixed(1)} MB`);
    show("exported", await look(browser, String(pathToFileURL(page))));
    rmSync(folder, { recursive: true });
  }
} finally {
  server.kill();
  await browser.close();
}
