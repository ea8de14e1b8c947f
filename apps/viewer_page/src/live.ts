// SPDX-License-Identifier: Apache-2.0
// A run that is going on in the program. The page asks for the newest frame and gets it; what it was too slow for is
// never sent. The program does not wait.
import { Frame, unpackChunk, type Header } from "./format";
import { appendRow, emptySeries, fetchBytes, type Run } from "./runs";

export interface Parameter {
  name: string;
  type: "number" | "whole" | "flag" | "choice";
  default: number | string | boolean;
  min?: number;
  max?: number;
  choices?: string[];
  unit: string;
  help: string;
}
export interface SceneKind {
  name: string;
  summary: string;
  parameters: Parameter[];
}
export interface LiveInfo {
  generation: number;
  header: Header;
  scenes: SceneKind[];
  scene: string;
  values: Record<string, string>;
  solver: "exact" | "relaxed";
  playing: boolean;
  speed: number;
  trouble: string;
}

const KEPT_BYTES = 200e6;

export class LiveRun implements Run {
  readonly series = emptySeries();
  first = 0;
  private readonly frames: Frame[] = [];
  private bytes = 0;

  constructor(readonly header: Header) {}

  get last(): number {
    return Math.max(this.first, this.first + this.frames.length - 1);
  }
  peek(k: number): Frame | undefined {
    return this.frames[k - this.first];
  }
  loadPose(k: number): Promise<Frame> {
    return this.load(k);
  }
  ahead(): void {}
  prefetch(): Promise<void> {
    return Promise.resolve();
  }
  load(k: number): Promise<Frame> {
    const frame = this.peek(Math.min(this.last, Math.max(this.first, k)));
    return frame ? Promise.resolve(frame) : Promise.reject(new Error("no frame yet"));
  }

  add(bodies: Uint32Array, contacts: Uint32Array, row: Uint32Array): Frame {
    const frame = new Frame(this.first + this.frames.length, bodies, contacts);
    this.frames.push(frame);
    appendRow(this.series, row);
    this.bytes += 4 * (bodies.length + contacts.length) + 200;
    while (this.bytes > KEPT_BYTES && this.frames.length > 2) {
      const old = this.frames.shift()!;
      this.bytes -= 4 * (old.bodyWords.length + old.contactWords.length) + 200;
      for (const column of this.series) column.shift();
      ++this.first;
    }
    return frame;
  }
}

export class LiveLink {
  info!: LiveInfo;
  run!: LiveRun;
  private sequence = 0;
  private stopped = false;

  constructor(
    private readonly token: string,
    private readonly events: {
      restarted: () => void;
      frame: (frame: Frame) => void;
      changed: () => void;
      lost: (lost: boolean) => void;
    },
  ) {}

  get commands(): boolean {
    return this.token !== "";
  }

  async open(): Promise<void> {
    await this.refresh();
    if (!(await this.next())) throw new Error("the program sent no frame");
  }

  private async refresh(): Promise<void> {
    const answer = await fetch("/api/live/info", { cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    const info = (await answer.json()) as LiveInfo;
    const isNew = this.info === undefined || info.generation !== this.info.generation;
    this.info = info;
    if (isNew) {
      this.run = new LiveRun(info.header);
      this.sequence = 0;
    }
  }

  /// True when a frame came, false when nothing is new.
  private async next(): Promise<boolean> {
    const bytes = await fetchBytes(`/api/live/frame?after=${this.sequence}`);
    if (bytes.length === 0) return false;
    const [about, bodies, contacts, row] = unpackChunk(bytes.buffer) as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
    if (about[0] !== this.info.generation) {
      await this.refresh();
      this.events.restarted();
      return this.next();
    }
    const revision = about[1]!;
    this.sequence = about[2]!;
    const frame = this.run.add(bodies, contacts, row);
    this.events.frame(frame);
    if (revision !== this.revision) {
      this.revision = revision;
      await this.refresh();
      this.events.changed();
    }
    return true;
  }
  private revision = -1;

  async follow(): Promise<void> {
    let lost = false;
    while (!this.stopped) {
      try {
        await this.next();
        if (lost) this.events.lost((lost = false));
        // One frame per picture at most: whatever happened meanwhile is skipped.
        if (!document.hidden) await new Promise(requestAnimationFrame);
        else await new Promise((done) => setTimeout(done, 200));
      } catch {
        if (!lost) this.events.lost((lost = true));
        await new Promise((done) => setTimeout(done, 1000));
      }
    }
  }

  async command(what: Record<string, unknown>): Promise<string> {
    try {
      const answer = await fetch("/api/command", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Repose-Token": this.token },
        body: JSON.stringify(what),
      });
      return answer.ok ? "" : await answer.text();
    } catch {
      return "the program does not answer";
    }
  }
}
