// SPDX-License-Identifier: Apache-2.0
// Where frames come from: the page itself, or the program that serves it.
import { bytesOfBase64, Column, Frame, readChunk, SERIES_COLUMNS, type Header } from "./format";

/// Numbers per step, one array per column, as the plots want them.
export type Series = number[][];

export interface Run {
  readonly header: Header;
  readonly series: Series;
  /// Frames first … last can be asked for.
  readonly first: number;
  readonly last: number;
  /// The frame if it is here already.
  peek(k: number): Frame | undefined;
  /// Brings the frame here.
  load(k: number): Promise<Frame>;
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

type Fetcher = (kind: "series" | "states" | "contacts", chunk: number) => Promise<Uint8Array<ArrayBuffer>>;

interface LoadedChunk {
  states: Uint32Array[];
  contacts: Uint32Array[];
  bytes: number;
  used: number;
}

const CACHE_BYTES = 256e6;

/// A recording, read chunk by chunk as it is looked at.
export class RecordedRun implements Run {
  readonly first = 0;
  private readonly chunks = new Map<number, LoadedChunk>();
  private readonly underway = new Map<number, Promise<LoadedChunk>>();
  private clock = 0;
  private bytes = 0;

  private constructor(
    readonly header: Header,
    readonly series: Series,
    private readonly fetcher: Fetcher,
  ) {}

  static async open(header: Header, fetcher: Fetcher): Promise<RecordedRun> {
    const series = emptySeries();
    for (const words of await readChunk(await fetcher("series", 0))) appendRow(series, words);
    const run = new RecordedRun(header, series, fetcher);
    await run.load(0);
    return run;
  }

  get last(): number {
    return this.header.steps;
  }

  peek(k: number): Frame | undefined {
    const size = this.header.chunk;
    const chunk = this.chunks.get(Math.floor(k / size));
    if (!chunk) return undefined;
    chunk.used = ++this.clock;
    // Played forward, the next chunk is here before it is needed.
    if (k % size > size / 2 && k + size / 2 <= this.last) void this.chunk(Math.floor(k / size) + 1);
    return this.frame(chunk, k);
  }

  async load(k: number): Promise<Frame> {
    const chunk = await this.chunk(Math.floor(k / this.header.chunk));
    return this.frame(chunk, k);
  }

  private frame(chunk: LoadedChunk, k: number): Frame {
    const at = k % this.header.chunk;
    return new Frame(k, chunk.states[at]!, chunk.contacts[at] ?? new Uint32Array(0));
  }

  private chunk(number: number): Promise<LoadedChunk> {
    const here = this.chunks.get(number);
    if (here) return Promise.resolve(here);
    let job = this.underway.get(number);
    if (!job) {
      job = this.fetchChunk(number).finally(() => this.underway.delete(number));
      this.underway.set(number, job);
    }
    return job;
  }

  private async fetchChunk(number: number): Promise<LoadedChunk> {
    const [states, contacts] = await Promise.all([
      this.fetcher("states", number).then(readChunk),
      this.fetcher("contacts", number).then(readChunk),
    ]);
    const bytes = 4 * [...states, ...contacts].reduce((sum, words) => sum + words.length, 0);
    const chunk = { states, contacts, bytes, used: ++this.clock };
    this.chunks.set(number, chunk);
    this.bytes += bytes;
    this.forget();
    return chunk;
  }

  private forget(): void {
    while (this.bytes > CACHE_BYTES && this.chunks.size > 2) {
      let oldest = -1;
      let used = Infinity;
      for (const [number, chunk] of this.chunks) if (chunk.used < used) [oldest, used] = [number, chunk.used];
      this.bytes -= this.chunks.get(oldest)!.bytes;
      this.chunks.delete(oldest);
    }
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
        return Promise.resolve(bytesOfBase64(blocks.substring(place[0], place[0] + place[1])));
      }),
    );
  }
}

export async function fetchBytes(path: string, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(path, { cache: "no-store", signal: signal ?? null });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/// The recordings that the program serves.
export async function servedRuns(headers: Header[]): Promise<RecordedRun[]> {
  return Promise.all(
    headers.map((header, number) =>
      RecordedRun.open(header, (kind, chunk) => fetchBytes(`/api/run/${number}/${kind}/${chunk}`)),
    ),
  );
}
