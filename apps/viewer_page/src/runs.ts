// SPDX-License-Identifier: Apache-2.0
// Where frames come from: the page itself, or the program that serves it.
import { short } from "./dom";
import { bytesOfBase64, Column, Frame, readChunk, SERIES_COLUMNS, unpackChunk, type Header } from "./format";

/// Numbers per step, one array per column, as the plots want them.
export type Series = number[][];

export interface Run {
  readonly header: Header;
  readonly series: Series;
  /// Frames first … last can be asked for.
  readonly first: number;
  readonly last: number;
  /// The frame if it is here already, possibly without its contacts.
  peek(k: number): Frame | undefined;
  /// Brings the frame here, with or without its contacts.
  loadPose(k: number): Promise<Frame>;
  /// Brings the whole frame here.
  load(k: number): Promise<Frame>;
  /// Brings here what comes next in a direction (1 or −1), before it is needed.
  ahead(k: number, direction: number): void;
  /// Brings everything here that there is room for, from a frame on outwards, while nothing else is asked for.
  prefetch(around: number): Promise<void>;
}

export function nameOf(run: Run): string {
  return run.header.label ?? run.header.scene;
}

/// Names of runs beside each other: those of the same name say in which setting or parameter they differ, or which they are.
export function namesOf(runs: Run[]): string[] {
  const names = runs.map(nameOf);
  if (runs.length < 2 || new Set(names).size > 1) return names;
  const facts = runs.map(({ header }) => ({ ...header.parameters, ...header.settings }) as Record<string, unknown>);
  const differs = (key: string) => new Set(facts.map((f) => String(f[key]))).size > 1;
  const key = Object.keys(facts[0]!).find((k) => k !== "threads" && differs(k));
  return names.map((name, k) => (key ? `${name}, ${key} ${String(facts[k]![key])}` : `${name} (${k + 1})`));
}

/// Of a step with this residual; poses of other programs have none.
export function certificateText(rc: number): string {
  return Number.isNaN(rc) ? "no certificate" : `r_c ${short(rc, 2)}`;
}

export function timeOf(run: Run, k: number): number {
  const times = run.series[Column.time]!;
  const at = k - run.first;
  if (at < times.length) return times[Math.max(0, at)] ?? 0;
  return (times[times.length - 1] ?? 0) + (times.length > 0 ? run.header.dt : 0);
}

/// The frame nearest to a time.
export function frameAt(run: Run, time: number): number {
  const times = run.series[Column.time]!;
  let low = 0;
  let high = run.last - run.first;
  const at = (k: number) => times[k] ?? timeOf(run, run.first + k);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (at(middle) <= time) low = middle;
    else high = middle;
  }
  return run.first + (high > low && at(high) - time <= time - at(low) ? high : low);
}

export function emptySeries(): Series {
  return Array.from({ length: SERIES_COLUMNS }, () => []);
}

export function appendRow(series: Series, words: Uint32Array): void {
  const numbers = new Float64Array(words.slice().buffer);
  for (let c = 0; c < SERIES_COLUMNS; ++c) series[c]!.push(numbers[c] ?? NaN);
}

type Kind = "states" | "contacts";
type Fetcher = (kind: "series" | Kind, chunk: number) => Promise<Uint32Array[]>;
/// The poses of one frame, where they can be had without their block.
type PoseFetcher = (frame: number) => Promise<Uint32Array>;

interface Block {
  frames: Uint32Array[];
  bytes: number;
  used: number;
}

const CACHE_BYTES = 512e6;
const QUIET_MS = 100; // the background waits as long after somebody asked for something
const KEPT_POSES = 300; // single frames that were jumped to
const NOTHING = new Uint32Array(0);

/// Blocks of one kind: those that are here, and those that are on their way.
class Blocks {
  readonly here = new Map<number, Block>();
  private readonly underway = new Map<number, Promise<Block>>();
  bytes = 0;
  constructor(
    private readonly fetcher: (chunk: number) => Promise<Uint32Array[]>,
    private readonly arrived: (block: Block) => void,
  ) {}

  get(number: number): Promise<Block> {
    const here = this.here.get(number);
    if (here) return Promise.resolve(here);
    let job = this.underway.get(number);
    if (!job) {
      job = this.fetch(number).finally(() => this.underway.delete(number));
      this.underway.set(number, job);
    }
    return job;
  }

  private async fetch(number: number): Promise<Block> {
    const frames = await this.fetcher(number);
    const block = { frames, bytes: 4 * frames.reduce((sum, words) => sum + words.length, 0), used: 0 };
    this.here.set(number, block);
    this.bytes += block.bytes;
    this.arrived(block);
    return block;
  }

  forgetOldest(): void {
    let oldest = -1;
    let used = Infinity;
    for (const [number, block] of this.here) if (block.used < used) [oldest, used] = [number, block.used];
    this.bytes -= this.here.get(oldest)?.bytes ?? 0;
    this.here.delete(oldest);
  }
}

/// A recording, read block by block: what is looked at first, the rest while nobody asks for anything. Contacts are most
/// of it and come after the poses. A jump to where no block is yet brings the poses of that one frame.
export class RecordedRun implements Run {
  readonly first = 0;
  private readonly states: Blocks;
  private readonly contacts: Blocks;
  private readonly poses = new Map<number, Uint32Array>(); // oldest first
  private clock = 0;
  private asked = 0; // loads that somebody waits for
  private lastAsked = -QUIET_MS;
  private prefetching: Promise<void> | undefined;

  private constructor(
    readonly header: Header,
    readonly series: Series,
    fetcher: Fetcher,
    private readonly pose?: PoseFetcher,
  ) {
    const arrived = (block: Block) => {
      block.used = ++this.clock;
      this.forget();
    };
    this.states = new Blocks((k) => fetcher("states", k), arrived);
    this.contacts = new Blocks((k) => fetcher("contacts", k), arrived);
  }

  static async open(header: Header, fetcher: Fetcher, pose?: PoseFetcher): Promise<RecordedRun> {
    const series = emptySeries();
    const run = new RecordedRun(header, series, fetcher, pose);
    const [rows] = await Promise.all([fetcher("series", 0), run.load(0)]);
    for (const words of rows) appendRow(series, words);
    return run;
  }

  get last(): number {
    return this.header.steps;
  }

  /// The frame with whose contacts frame k is shown: after the last step those of that step, which led there.
  private touched(k: number): number {
    return k === this.last && k > 0 ? k - 1 : k;
  }

  peek(k: number): Frame | undefined {
    const { chunk, contact_chunk } = this.header;
    const t = this.touched(k);
    const block = this.states.here.get(Math.floor(k / chunk));
    const poses = block?.frames[k % chunk] ?? this.poses.get(k);
    if (!poses) return undefined;
    const touching = this.contacts.here.get(Math.floor(t / contact_chunk));
    ++this.clock;
    if (block) block.used = this.clock;
    if (touching) touching.used = this.clock;
    return new Frame(k, poses, touching?.frames[t % contact_chunk] ?? NOTHING, touching !== undefined);
  }

  async loadPose(k: number): Promise<Frame> {
    if (this.pose && !this.states.here.has(Math.floor(k / this.header.chunk))) {
      this.poses.set(k, await this.wait(this.pose(k)));
      if (this.poses.size > KEPT_POSES) this.poses.delete(this.poses.keys().next().value!);
    } else await this.wait(this.states.get(Math.floor(k / this.header.chunk)));
    return this.peek(k)!;
  }

  async load(k: number): Promise<Frame> {
    const { chunk, contact_chunk } = this.header;
    const t = this.touched(k);
    const [poses, touching] = await this.wait(
      Promise.all([this.states.get(Math.floor(k / chunk)), this.contacts.get(Math.floor(t / contact_chunk))]),
    );
    return new Frame(k, poses.frames[k % chunk]!, touching.frames[t % contact_chunk] ?? NOTHING);
  }

  ahead(k: number, direction: number): void {
    for (const far of [this.header.contact_chunk, 2 * this.header.contact_chunk, this.header.chunk]) {
      const next = Math.min(this.last, Math.max(0, k + direction * far));
      void this.load(next).catch(() => undefined); // what cannot be loaded is said when it is looked at
    }
  }

  prefetch(around: number): Promise<void> {
    this.prefetching ??= this.fetchAll(around).finally(() => (this.prefetching = undefined));
    return this.prefetching;
  }

  private async wait<T>(job: Promise<T>): Promise<T> {
    ++this.asked;
    try {
      return await job;
    } finally {
      --this.asked;
      this.lastAsked = performance.now();
    }
  }

  /// All poses, then contacts, as far as they fit: half of the room stays for what will be looked at.
  private async fetchAll(around: number): Promise<void> {
    for (const [kind, size] of [[this.states, this.header.chunk], [this.contacts, this.header.contact_chunk]] as const) {
      const centre = Math.floor(around / size);
      const last = Math.floor(this.last / size);
      for (let distance = 0; distance <= Math.max(centre, last - centre); ++distance)
        for (const number of new Set([centre + distance, centre - distance])) {
          if (number < 0 || number > last || kind.here.has(number)) continue;
          if (this.states.bytes + this.contacts.bytes > CACHE_BYTES / 2) return;
          // What somebody waits for goes first.
          while (this.asked > 0 || performance.now() < this.lastAsked + QUIET_MS) await new Promise((done) => setTimeout(done, 4));
          await kind.get(number);
        }
    }
  }

  private forget(): void {
    while (this.states.bytes + this.contacts.bytes > CACHE_BYTES && this.states.here.size + this.contacts.here.size > 4)
      (this.contacts.here.size > 2 ? this.contacts : this.states).forgetOldest();
  }
}

/// The runs that an exported page carries.
export async function embeddedRuns(): Promise<RecordedRun[]> {
  const runs: RecordedRun[] = [];
  for (let k = 0; ; ++k) {
    const header = document.getElementById(`repose-header-${k}`)?.textContent;
    const blocks = document.getElementById(`repose-blocks-${k}`)?.textContent;
    if (!header || blocks === null || blocks === undefined) return runs;
    const parsed = JSON.parse(header) as Header;
    const places = parsed.blocks!;
    runs.push(
      await RecordedRun.open(parsed, (kind, chunk) => {
        const place = kind === "series" ? places.series : places[kind][chunk];
        if (!place) return Promise.reject(new Error(`no block ${kind} ${chunk}`));
        return readChunk(bytesOfBase64(blocks.substring(place[0], place[0] + place[1])));
      }),
    );
  }
}

export async function fetchBytes(path: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(path, { cache: "no-store", signal: signal ?? null });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/// The recordings that the program serves; on one machine nothing is compressed.
export async function servedRuns(headers: Header[]): Promise<RecordedRun[]> {
  const frames = async (path: string) => unpackChunk((await fetchBytes(path)).buffer);
  return Promise.all(
    headers.map((header, number) =>
      RecordedRun.open(
        header,
        (kind, chunk) => frames(`/api/run/${number}/${kind}/${chunk}`),
        async (frame) => (await frames(`/api/run/${number}/pose/${frame}`))[0]!,
      ),
    ),
  );
}

/// What is said of runs beside their names.
export function aboutOf(runs: Run[]): string {
  const { header } = runs[0]!;
  const moving = header.bodies.filter((b) => b.kind === "dynamic" && !b.name.startsWith("thrown-")).length;
  const parts = [`${moving} moving ${moving === 1 ? "body" : "bodies"}`];
  if (header.steps > 0) parts.push(`${header.steps} steps of ${short(header.dt, 3)} s`);
  const program = header.settings["program"];
  if (typeof program === "string") parts.push(`by ${program}`);
  const outer = new Set(runs.map((run) => run.header.settings["outer"]).filter((name) => typeof name === "string"));
  if (outer.size > 0) parts.push(`scheme ${[...outer].join(" | ")}`);
  parts.push(`tolerance ${[...new Set(runs.map((run) => short(run.header.tolerance, 2)))].join(" | ")}`);
  return parts.join(" · ");
}
