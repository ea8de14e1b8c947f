// SPDX-License-Identifier: Apache-2.0
// Dark or light: as the address asks, else as chosen last, else as the system has it.
import type { Theme } from "./colours";
import { startValue } from "./dom";

const STORED = "repose-theme";

export function startTheme(): Theme {
  const asked = startValue("theme");
  if (asked === "dark" || asked === "light") return asked;
  try {
    const stored = localStorage.getItem(STORED);
    if (stored === "dark" || stored === "light") return stored;
  } catch {
    // no storage: the system decides
  }
  return matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

export function keepTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORED, theme);
  } catch {
    // Pages opened from a file may have no storage; the choice then lasts as long as the page.
  }
}
