// SPDX-License-Identifier: Apache-2.0
// How fast a long recording opens and scrubs in Chromium:   node bench/viewer/scrub.mjs REPOSE RECORDING [JUMPS]
//
// Drawing is left out: without a graphics card it is done in software and says nothing about a user's machine. What is
// timed is what the page itself does: from the slider's new value until the poses of that frame are on stage.
import { createRequire } from "node:module";
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [program, recording, jumps = "300"] = process.argv.slice(2);
const { chromium } = createRequire(new URL("../../apps/viewer/package.json", import.meta.url))("playwright-core");
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"];
const executablePath = process.env.REPOSE_BROWSER ?? "/usr/bin/chromium";

/// In the page: times in ms of jumps to random frames, of a sweep over neighbours, and how many were cold.
async function measure(jumps) {
  const app = window.repose;
  const pane = app.panes[0];
  pane.stage.draw = () => undefined;
  const last = app.run.last;
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const place = async (k) => {
    const start = performance.now();
    const here = app.run.peek(k) !== undefined;
    app.seek(k);
    while (pane.shown !== k) await new Promise((done) => setTimeout(done, 0));
    return [performance.now() - start, here];
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
  const early = await many(wild());
  const prefetchStart = performance.now();
  await app.run.prefetch(0);
  const prefetch = performance.now() - prefetchStart;
  return { early, prefetch, jumps: await many(wild()), drag: await many(drag), memory: performance.memory?.usedJSHeapSize };
}

async function look(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const start = performance.now();
  await page.goto(url);
  await page.waitForSelector("#app[data-ready=true]", { timeout: 120000 });
  const open = performance.now() - start;
  const found = await page.evaluate(measure, Number(jumps));
  await page.close();
  return { open, ...found };
}

function show(name, found) {
  const row = (what, s) =>
    s.count > 0 && console.log(`${name.padEnd(9)} ${what.padEnd(26)} ${String(s.count).padStart(5)}  median ${s.median.toFixed(2)}  p95 ${s.p95.toFixed(2)}  max ${s.max.toFixed(1)} ms  within 16.7 ms ${((100 * s.within16) / s.count).toFixed(1)} %`);
  console.log(`${name.padEnd(9)} open ${found.open.toFixed(0)} ms, all poses here after another ${found.prefetch.toFixed(0)} ms`);
  for (const [what, both] of Object.entries({ "jumps at once": found.early, "jumps later": found.jumps, "slider over everything": found.drag }))
    for (const kind of ["cold", "warm"]) row(`${what}, ${kind}`, both[kind]);
}

const browser = await chromium.launch({ executablePath, args });
const server = spawn(program, ["view", recording, "--quiet", "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
try {
  const start = performance.now();
  const url = await new Promise((done) => server.stdout.once("data", (text) => done(String(text).trim())));
  console.log(`served    the program listens after ${(performance.now() - start).toFixed(0)} ms`);
  show("served", await look(browser, url));
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
