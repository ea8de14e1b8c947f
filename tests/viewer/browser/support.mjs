// SPDX-License-Identifier: Apache-2.0
// What the browser checks share. Status 77 means skipped, with the reason on the last line.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export const program = process.argv[2];
export const folder = mkdtempSync(join(tmpdir(), "repose-browser-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export const packages = createRequire(new URL("../../../apps/viewer_page/package.json", import.meta.url));

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

export function need(name) {
  try {
    return packages(name);
  } catch {
    return skip(`the viewer's npm packages are not installed (${name}; scripts/setup viewer)`);
  }
}

/// The same for packages that are modules and nothing else.
export async function needModule(name) {
  try {
    return await import(pathToFileURL(packages.resolve(name)));
  } catch {
    return skip(`the viewer's npm packages are not installed (${name}; scripts/setup viewer)`);
  }
}

export function repose(...words) {
  return execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function record(name, ...words) {
  const file = join(folder, `${name}.h5`);
  repose("run", ...words, "--record", file, "--quiet");
  return file;
}

export function exported(recording, target, ...words) {
  repose("export", recording, "--to", target, "--quiet", ...words);
  return target;
}

const candidates = [process.env.REPOSE_BROWSER, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function openBrowser() {
  const { chromium } = need("playwright-core");
  const executablePath = candidates.find((file) => file && existsSync(file));
  if (!executablePath) skip("no Chromium or Chrome here (REPOSE_BROWSER names one)");
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];
  return chromium.launch({ executablePath, args });
}

/// A page that fails the check when its console shows an error.
export async function openPage(browser, url, size = { width: 1000, height: 700 }) {
  const page = await browser.newPage({ viewport: size });
  page.on("pageerror", (error) => complain(`page error: ${error.message}`));
  page.on("console", (line) => {
    const gone = page.serverIsGone && line.text().includes("ERR_CONNECTION_REFUSED");
    if (line.type() === "error" && !gone) complain(`console: ${line.text()}`);
  });
  page.on("request", (request) => {
    const address = request.url();
    if (!/^(file|data|blob):/.test(address) && new URL(address).hostname !== "127.0.0.1") complain(`asked ${address}`);
  });
  await page.goto(url);
  await page.waitForSelector("#app[data-ready=true]", { timeout: 60000 });
  return page;
}

let failures = 0;
export function complain(text) {
  ++failures;
  console.error(`FAILED: ${text}`);
}
export function check(condition, text) {
  if (condition) console.log(`ok: ${text}`);
  else complain(text);
}

/// What axe finds against WCAG 2.1 A and AA on the page as it is.
export async function accessibility(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] });
    return violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
  });
}

/// Tries until it holds; the machine may be slow.
export async function eventually(text, probe, seconds = 30) {
  const end = Date.now() + 1000 * seconds;
  let holds = false;
  while (!(holds = await probe()) && Date.now() < end) await new Promise((done) => setTimeout(done, 100));
  check(holds, text);
}

/// `repose view …` with its address.
export async function serve(...words) {
  const child = spawn(program, ["view", ...words, "--quiet", "--no-open"], { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((done, wrong) => {
    child.stdout.once("data", (text) => done(String(text).trim().split("\n")[0]));
    child.once("exit", (status) => wrong(new Error(`repose view ended with ${status}`)));
  });
  process.on("exit", () => child.kill("SIGKILL"));
  return { url, child };
}

export async function finish(browser) {
  await browser?.close();
  console.log(failures === 0 ? "all checks passed" : `${failures} checks failed`);
  process.exit(failures === 0 ? 0 : 1);
}
