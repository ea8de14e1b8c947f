// SPDX-License-Identifier: Apache-2.0
// What the certificate of a step says: its residuals, and a grade for them in colours, marks and words.
import { Column } from "./format";
import type { Run } from "./runs";

export const MEASURES = "r_c: distance from the exact Coulomb law. nat: error of the impulses. Both are relative, 0 is exact; " +
  "solved means that both are within the tolerance.";

export type Grade = "good" | "fair" | "bad" | "";
export const MARKS: Record<Grade, string> = { good: " ✓", fair: " ≈", bad: " ✗", "": "" };
export const WORDS: Record<Grade, string> = { good: "✓ solved", fair: "≈ accepted", bad: "✗ unsolved", "": "no certificate" };

export interface Verdict {
  rc: number;  // NaN where there is no certificate
  nat: number;
  grade: Grade;
  step: boolean;  // whether the run has a step at all
}

/// Of the step that begins at a frame; after the last step, of that one.
export function verdictAt(run: Run, frame: number): Verdict {
  const row = Math.min(frame - run.first, run.series[Column.rc]!.length - 1);
  const rc = run.series[Column.rc]![row] ?? NaN;
  const nat = run.series[Column.nat]![row] ?? NaN;
  return { rc, nat, grade: gradeOf(run, Math.max(rc, nat)), step: row >= 0 };
}

function gradeOf({ header }: Run, worst: number): Grade {
  if (Number.isNaN(worst)) return "";
  if (worst <= header.tolerance) return "good";
  return worst <= (header.accept ?? 0) ? "fair" : "bad";
}

/// Row of the step with the largest residual, −1 without steps.
export function worstStep(run: Run): number {
  const rc = run.series[Column.rc]!;
  const nat = run.series[Column.nat]!;
  let worst = -1;
  let value = -1;
  for (let k = 0; k < rc.length; ++k) {
    const here = Math.max(rc[k]!, nat[k]!);
    if (here > value) [worst, value] = [k, here];
  }
  return worst;
}
