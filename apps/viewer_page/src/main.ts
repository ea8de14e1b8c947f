// SPDX-License-Identifier: Apache-2.0
import "./style.css";
import { App } from "./app";
import { h, startValue } from "./dom";
import type { Header } from "./format";
import { LiveLink } from "./live";
import { LivePanel } from "./live_panel";
import { drawPictures, reportTrouble, type PictureJob } from "./picture";
import { embeddedRuns, servedRuns, type Run } from "./runs";

/// What the program says this page is for.
interface Session {
  mode: "recorded" | "live" | "picture";
  runs: Header[];
  job?: PictureJob;
}

const root = document.getElementById("app")!;
// The token comes after the #, which browsers send to nobody.
const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";

async function showRecorded(runs: Run[]): Promise<App> {
  const first = await Promise.all(runs.map((run) => run.load(run.first)));
  const app = new App(root, runs, first);
  const asked = startValue("frame");
  if (asked !== undefined) app.seek(Number(asked));
  return app;
}

async function showLive(): Promise<App> {
  let app: App | undefined;
  let drawn = 0;
  const link: LiveLink = new LiveLink(token, {
    restarted: () => undefined,
    frame: () => {
      if (!app) return;
      if (app.run !== link.run) {
        app.open([link.run], [link.run.peek(link.run.first)!]);
        app.following = true;
        panel.build();
      }
      const plots = performance.now() - drawn > 250;
      if (plots) drawn = performance.now();
      app.grown(plots);
    },
    changed: () => app && panel.build(),
    lost: (lost) => {
      if (app && lost) app.onRun = undefined; // what was kept can still be played
      else if (app) panel.build();
      app?.say(lost ? "The program has stopped or cannot be reached. What was seen so far stays here." : "");
    },
  });
  const panel = new LivePanel(link);
  await link.open();
  app = new App(root, [link.run], [link.run.peek(link.run.first)!], [panel.element],
    link.commands ? (actuator, value) => void link.command({ do: "control", actuator, value }) : undefined);
  app.following = true;
  panel.attach(app);
  void link.follow();
  return app;
}

async function start(): Promise<void> {
  if (!document.createElement("canvas").getContext("webgl2"))
    throw new Error("This browser has no WebGL 2, which the pictures need.");
  const inside = await embeddedRuns();
  if (inside.length > 0) {
    expose(await showRecorded(inside));
    return;
  }
  if (!location.protocol.startsWith("http")) throw new Error("This page carries no run. Make one with: repose export RECORDING --to page.html");
  const answer = await fetch("/api/session", { cache: "no-store" });
  if (!answer.ok) throw new Error(await answer.text());
  const session = (await answer.json()) as Session;
  if (session.mode === "live") expose(await showLive());
  else {
    const runs = await servedRuns(session.runs);
    if (session.mode === "picture") await drawPictures(runs, session.job!, token);
    else expose(await showRecorded(runs));
  }
}

/// For tests and for the curious at the console.
function expose(app: App): void {
  (window as unknown as { repose: App }).repose = app;
  root.dataset["ready"] = "true";
}

start().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  root.replaceChildren(h("p", { class: "message", role: "alert" }, text));
  root.dataset["ready"] = "failed";
  if (token) void reportTrouble(text, token);
});
