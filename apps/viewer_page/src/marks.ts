// SPDX-License-Identifier: Apache-2.0
// Marks along the timeline: events above it, the step with the largest residual below it.
import { worstStep } from "./certificate";
import { h } from "./dom";
import { frameAt, type Run } from "./runs";

export function marksOf(run: Run): HTMLElement[] {
  const span = Math.max(1, run.last - run.first);
  const mark = (k: number, kind: string, title: string) => {
    const i = h("i", { class: kind, title });
    i.style.left = `${(100 * (k - run.first)) / span}%`;
    return i;
  };
  const marks = run.header.events.map((e) => mark(frameAt(run, e.time), "event", e.text));
  const worst = worstStep(run);
  if (worst >= 0) marks.push(mark(run.first + worst, "worst", "largest residual"));
  return marks;
}
