// SPDX-License-Identifier: Apache-2.0
// Elements without a framework.

type Props = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value as EventListener);
    else if (key === "class") element.className = String(value);
    else if (key in element && key !== "list") (element as unknown as Props)[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

export function toggle(text: string, value: boolean, change: (on: boolean) => void, hint = ""): HTMLLabelElement {
  const box = h("input", { type: "checkbox", checked: value, onchange: () => change(box.checked) });
  return h("label", { class: "toggle", title: hint }, box, h("span", {}, text));
}

export function choice(
  text: string,
  options: [value: string, label: string][],
  value: string,
  change: (value: string) => void,
): HTMLLabelElement {
  const list = h(
    "select",
    { onchange: () => change(list.value), "aria-label": text },
    ...options.map(([v, label]) => h("option", { value: v, selected: v === value }, label)),
  );
  return h("label", { class: "field" }, h("span", {}, text), list);
}

export function button(text: string, label: string, press: () => void, kind = ""): HTMLButtonElement {
  return h("button", { type: "button", class: kind, "aria-label": label, title: label, onclick: press }, text);
}

/// A number as short as a panel wants it.
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}

/// How the page is to begin (frame, theme): after the # of its address, or in the page where it has no address.
export function startValue(key: "frame" | "theme"): string | undefined {
  const asked = new URLSearchParams(location.hash.slice(1)).get(key);
  if (asked !== null) return asked;
  const inside = document.getElementById("repose-start")?.textContent;
  const value = inside ? (JSON.parse(inside) as Record<string, unknown>)[key] : undefined;
  return value === undefined ? undefined : String(value);
}
