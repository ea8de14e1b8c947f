// SPDX-License-Identifier: Apache-2.0
// `repose render`: the program opens this page without a window, tells it what to draw, and gets pictures back.
import type { ColourBy, Preset, ViewOptions } from "./stage";
import { Stage } from "./stage";
import type { Theme } from "./colours";
import { Column } from "./format";
import { certificateText, frameAt, nameOf, timeOf, type Run } from "./runs";

export interface PictureJob {
  frames: number[];
  width: number;
  height: number;
  theme: Theme;
  camera: Preset;
  zoom: number;
  contacts: boolean;
  forces: boolean;
  thrust: boolean;
  cones: boolean;
  velocities: boolean;
  joints: boolean;
  colour: ColourBy;
}

export async function drawPictures(runs: Run[], job: PictureJob, token: string): Promise<void> {
  const options: ViewOptions = {
    contacts: job.contacts,
    forces: job.forces,
    thrust: job.thrust,
    cones: job.cones,
    joints: job.joints,
    velocities: job.velocities,
    colourBy: job.colour,
    arrowScale: 1,
    edges: true,
    grid: true,
    follow: false,
  };
  const width = Math.floor(job.width / runs.length);
  const stages = await Promise.all(
    runs.map(async (run) => {
      const stage = new Stage(run.header, await run.load(0), document.body);
      stage.setTheme(job.theme);
      stage.resize(width, job.height, 1);
      stage.look(job.camera);
      const followed = { ...options, follow: stage.fewBodies };
      stage.show(await run.load(0), followed);
      stage.camera.zoom = job.zoom;
      stage.camera.updateProjectionMatrix();
      return stage;
    }),
  );
  const sheet = document.createElement("canvas");
  sheet.width = width * runs.length;
  sheet.height = job.height;
  const pen = sheet.getContext("2d")!;
  for (const k of job.frames) {
    for (const [n, stage] of stages.entries()) {
      const run = runs[n]!;
      const frame = n === 0 ? k : frameAt(run, timeOf(runs[0]!, k)); // the same time, whatever the steps
      stage.show(await run.load(frame), { ...options, follow: stage.fewBodies });
      stage.draw();
      pen.drawImage(stage.canvas, n * width, 0);
      if (runs.length > 1) writeName(pen, run, frame, n * width, job);
    }
    const picture = await new Promise<Blob | null>((done) => sheet.toBlob(done, "image/png"));
    if (!picture) throw new Error("the browser made no picture");
    await send(`/api/picture/${k}`, picture, token);
  }
  await send("/api/done", "", token);
}

/// Which run this is and how well the step was solved, over the corner of its half.
function writeName(pen: CanvasRenderingContext2D, run: Run, frame: number, left: number, job: PictureJob): void {
  const rc = run.series[Column.rc]![Math.min(frame, run.series[Column.rc]!.length - 1)] ?? NaN;
  const text = `${nameOf(run)} · ${certificateText(rc)}`;
  const size = Math.max(11, Math.round(job.height / 38));
  pen.font = `${size}px system-ui, sans-serif`;
  pen.fillStyle = job.theme === "dark" ? "#1c2129f2" : "#fffffff2";
  pen.fillRect(left + size, size, pen.measureText(text).width + size, 1.8 * size);
  pen.fillStyle = job.theme === "dark" ? "#e8edf5" : "#1b222c";
  pen.fillText(text, left + 1.5 * size, 2.25 * size);
  pen.fillStyle = "#8a94a3";
  if (left > 0) pen.fillRect(left - 1, 0, 2, job.height);
}

async function send(path: string, body: Blob | string, token: string): Promise<void> {
  const answer = await fetch(path, { method: "POST", headers: { "X-Repose-Token": token }, body });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}

export async function reportTrouble(text: string, token: string): Promise<void> {
  await send("/api/trouble", text.slice(0, 500), token).catch(() => undefined);
}
