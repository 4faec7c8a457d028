// What was written during this visit, kept in the browser's tab: finished formulas, and the one under way.

import { mathElement } from "./formula.js";
import { inkThumbnail } from "./export.js";

const KEY = "inktex.visit", NOW = "inktex.now", KEPT = 24;

export class Visit extends EventTarget {
  entries = read(KEY) ?? [];

  /** Keep a formula; the newest comes first, the same ink only once. */
  keep({ strokes, latex, mathml }) {
    if (!strokes.length) return;
    const ids = strokes.map(({ id }) => id).join(" ");
    const rest = this.entries.filter((entry) => entry.ids !== ids);
    this.entries = [{ ids, strokes, latex, mathml }, ...rest].slice(0, KEPT);
    write(KEY, this.entries);
    this.dispatchEvent(new Event("change"));
  }

  forget() {
    this.entries = [];
    write(KEY, this.entries);
    this.dispatchEvent(new Event("change"));
  }

  /** The ink under way, so that a reload loses nothing. */
  set now(strokes) {
    write(NOW, strokes);
  }

  get now() {
    return read(NOW) ?? [];
  }

  /** Cards of the formulas, each a button. */
  cards(take, limit = KEPT) {
    return this.entries.slice(0, limit).map((entry) =>
      inkCard({ strokes: entry.strokes, name: entry.latex || "Ink", mathml: entry.mathml }, () => take(entry)),
    );
  }
}

/** A button with a picture of ink and what it says. */
export function inkCard({ strokes, name, mathml }, take) {
  const item = document.createElement("li"), button = document.createElement("button");
  button.type = "button";
  button.className = "card-button";
  button.setAttribute("aria-label", name);
  button.append(inkThumbnail(strokes));
  const caption = document.createElement("span");
  caption.className = "card-caption";
  if (mathml) {
    const math = mathElement(mathml);
    math.setAttribute("display", "inline");
    math.setAttribute("aria-hidden", "true");
    caption.append(math);
  } else caption.textContent = name;
  button.append(caption);
  button.addEventListener("click", take);
  item.append(button);
  return item;
}

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The store is full or closed; the visit goes on without it.
  }
}
