// SPDX-License-Identifier: Apache-2.0
// Numbers per step under the picture, with the timeline's place marked; a click goes there.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h, short } from "./dom";
import { Column } from "./format";
import type { Run, Series } from "./runs";

interface Curve {
  label: string;
  column: Column;
  colour: string;
  hint?: string;
}
interface PlotKind {
  title: string;
  log?: boolean;
  least?: number; // height of the axis as a share of the largest value: smaller changes are rounding
  curves: Curve[];
}

const FLOOR = 1e-17; // a residual of 0 has no logarithm
const KINDS: PlotKind[] = [
  {
    title: "residual",
    log: true,
    curves: [
      { label: "r_c", column: Column.rc, colour: "#e0a526", hint: "distance from the exact Coulomb law, relative; the dashed line is the tolerance" },
      { label: "nat", column: Column.nat, colour: "#4aa3ff", hint: "error of the impulses (natural map), relative" },
    ],
  },
  { title: "contacts", curves: [{ label: "contacts", column: Column.contacts, colour: "#1fb58f" }] },
  {
    title: "iterations",
    curves: [
      { label: "outer", column: Column.outer, colour: "#e06c9f", hint: "iterations of the outer scheme, the largest of all islands" },
      { label: "fallbacks", column: Column.fallbacks, colour: "#ff7b1c", hint: "times that a stage failed and the next one took over" },
    ],
  },
  { title: "energy, J", least: 1e-3, curves: [{ label: "energy", column: Column.energy, colour: "#9d7bff" }] },
  {
    title: "ms per step",
    curves: [
      { label: "collide", column: Column.collide, colour: "#4aa3ff" },
      { label: "assemble", column: Column.assemble, colour: "#1fb58f" },
      { label: "solve", column: Column.solve, colour: "#e0a526" },
      { label: "integrate", column: Column.integrate, colour: "#e06c9f" },
    ],
  },
];

export class Plots {
  readonly element = h("section", { class: "plots", "aria-label": "Numbers per step" });
  private readonly plots: { plot: uPlot; kind: PlotKind; values: HTMLElement[]; box: HTMLElement }[] = [];
  private place = 0;
  private drawnRows = -1;

  constructor(
    private readonly run: Run,
    private readonly seek: (frame: number) => void,
  ) {}

  /// Made when they are first seen.
  build(): void {
    if (this.plots.length > 0) return;
    for (const kind of KINDS) this.add(kind);
    this.resize();
    this.refresh();
  }

  private data(kind: PlotKind): uPlot.AlignedData {
    const series: Series = this.run.series;
    // A number that is not there leaves a gap.
    const column = (c: Column) => series[c]!.map((v) => (Number.isNaN(v) ? null : kind.log ? Math.max(FLOOR, v) : v));
    return [series[Column.time]!, ...kind.curves.map((c) => column(c.column))] as uPlot.AlignedData;
  }

  private add(kind: PlotKind): void {
    const values = kind.curves.map(() => h("b", {}, ""));
    const keys = kind.curves.map((c, k) => {
      const dot = h("i", { class: "dot" });
      dot.style.background = c.colour;
      return h("span", { class: "key", title: c.hint ?? "" }, dot, kind.curves.length > 1 ? `${c.label} ` : "", values[k]!);
    });
    const box = h("figure", { class: "plot" }, h("figcaption", {}, h("span", {}, kind.title), ...keys));
    this.element.append(box);
    const ink = "#8a94a3";
    const axis: uPlot.Axis = { stroke: ink, grid: { stroke: "#8a94a322", width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const options: uPlot.Options = {
      width: 240,
      height: 108,
      legend: { show: false },
      cursor: { x: true, y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: kind.log ? { distr: 3, log: 10, range: (_u, lo, hi) => this.residualRange(lo, hi) } : { range: (_u, lo, hi) => padded(lo, hi, kind.least) } },
      axes: [
        { ...axis, size: 20 },
        { ...axis, size: 56, values: (_u, ticks) => ticks.map((t) => (t === null ? "" : tickText(t, kind.log === true, (ticks[1] ?? t) - ticks[0]!))) },
      ],
      series: [{}, ...kind.curves.map((c) => ({ stroke: c.colour, width: 1.4, points: { show: false } }))],
      hooks: { draw: [(u) => this.mark(u, kind)] },
    };
    const plot = new uPlot(options, this.data(kind), box);
    plot.over.append(h("i", { class: "here" }));
    this.placeLine(plot);
    plot.over.addEventListener("pointerdown", (event) => {
      const go = (e: PointerEvent) => {
        const left = e.clientX - plot.over.getBoundingClientRect().left;
        this.seek(this.run.first + Math.max(0, plot.posToIdx(left)));
      };
      go(event);
      plot.over.setPointerCapture(event.pointerId);
      plot.over.onpointermove = go;
      plot.over.onpointerup = () => (plot.over.onpointermove = null);
    });
    this.plots.push({ plot, kind, values, box });
  }

  /// Whole powers of ten, the tolerance among them.
  private residualRange(low: number, high: number): [number, number] {
    const tolerance = this.run.header.tolerance > 0 ? this.run.header.tolerance : 1e-8;
    const power = (x: number, round: (y: number) => number) => 10 ** round(Math.log10(x));
    const bottom = Math.max(FLOOR, Number.isFinite(low) ? Math.min(low, 0.01 * tolerance) : 1e-4 * tolerance);
    return [power(bottom, Math.floor), power(Math.max(Number.isFinite(high) ? high : 0, 10 * tolerance), Math.ceil)];
  }

  /// The tolerance as a dashed line.
  private mark(u: uPlot, kind: PlotKind): void {
    const pen = u.ctx;
    const { left, top, width, height } = u.bbox;
    pen.save();
    if (kind.log && this.run.header.tolerance > 0) {
      const y = u.valToPos(this.run.header.tolerance, "y", true);
      if (y > top && y < top + height) {
        pen.strokeStyle = "#e5484d";
        pen.setLineDash([6, 5]);
        pen.beginPath();
        pen.moveTo(left, y);
        pen.lineTo(left + width, y);
        pen.stroke();
        pen.setLineDash([]);
      }
    }
    pen.restore();
    this.placeLine(u);
  }

  /// The timeline's place is an element over the curves: they need not be drawn again for it.
  private placeLine(u: uPlot): void {
    const line = u.over.querySelector<HTMLElement>(".here");
    const time = this.run.series[Column.time]![this.place];
    if (line && time !== undefined) line.style.transform = `translateX(${u.valToPos(time, "x").toFixed(1)}px)`;
  }

  show(frame: number): void {
    this.place = Math.max(0, Math.min(frame - this.run.first, this.run.series[Column.time]!.length - 1));
    for (const { plot, kind, values } of this.plots) {
      kind.curves.forEach((c, k) => (values[k]!.textContent = short(this.run.series[c.column]![this.place] ?? NaN, 3)));
      if (this.drawnRows === this.run.series[Column.time]!.length) this.placeLine(plot);
    }
  }

  /// After rows were added.
  refresh(): void {
    this.drawnRows = this.run.series[Column.time]!.length;
    for (const { plot, kind } of this.plots) plot.setData(this.data(kind));
  }

  resize(): void {
    for (const { plot, box } of this.plots) {
      const width = Math.floor(box.clientWidth);
      if (width > 40) plot.setSize({ width, height: 108 });
    }
  }
}

function padded(low: number, high: number, least = 0): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const lacking = least * Math.max(Math.abs(low), Math.abs(high)) - (high - low);
  if (lacking > 0) [low, high] = [low - 0.5 * lacking, high + 0.5 * lacking];
  const room = high > low ? 0.08 * (high - low) : 0.05 * Math.abs(high) || 1;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

/// With as many digits as it takes to tell a tick from the next.
function tickText(value: number, log: boolean, step: number): string {
  if (log) return `1e${Math.round(Math.log10(value))}`;
  const digits = step !== 0 ? Math.ceil(Math.log10(Math.abs(value / step))) : 3;
  return Math.abs(value) >= 1e4 ? value.toExponential(Math.min(6, Math.max(3, digits))).replace("e+", "e").replace(/\.?0+e/, "e") : String(Number(value.toPrecision(5)));
}
