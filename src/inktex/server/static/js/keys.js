// Keys: everything that can be done without a pointer. Letters work only while no text is being typed.

import { boundsOf } from "./geometry.js";

const typing = (target) => target.matches?.("input:not([type=range]), textarea, [contenteditable]");

/** Connect keys with commands, an object of functions. */
export function listen(commands) {
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if (event.ctrlKey || event.metaKey) withControl(event, commands);
    else if (!event.altKey && !typing(event.target)) plain(event, commands);
  });
  addEventListener("keyup", (event) => {
    if (event.key === " ") commands.holdSpace(false);
  });
  addEventListener("blur", () => commands.holdSpace(false));
}

function withControl(event, commands) {
  const key = event.key.toLowerCase();
  const inText = typing(event.target);
  const chosen = {
    z: inText ? null : event.shiftKey ? commands.redo : commands.undo,
    y: inText ? null : commands.redo,
    s: commands.save,
    o: commands.open,
    a: inText ? null : commands.selectAll,
    // Copying what is marked on the page stays the browser's.
    c: inText || String(getSelection()) ? null : commands.copy,
  }[key];
  if (!chosen) return;
  event.preventDefault();
  chosen();
}

function plain(event, commands) {
  const onButton = event.target.matches?.("button, [role^=menuitem], a, input, summary");
  if (event.key === " " && !onButton) {
    event.preventDefault();
    commands.holdSpace(true);
    return;
  }
  const chosen = {
    p: () => commands.tool("pen"),
    e: () => commands.tool("eraser"),
    s: () => commands.tool("select"),
    h: () => commands.tool("hand"),
    n: commands.clear,
    l: commands.edit,
    w: commands.why,
    x: commands.examples,
    "?": commands.help,
    "+": () => commands.zoom(1.25),
    "=": () => commands.zoom(1.25),
    "-": () => commands.zoom(0.8),
    0: commands.fit,
    Delete: commands.erase,
    Backspace: commands.erase,
    Escape: commands.escape,
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (/^[1-9]$/.test(event.key)) commands.candidate(Number(event.key));
  else if (chosen) chosen();
  else return;
  event.preventDefault();
}

/** Arrow keys on the paper: from stroke to stroke, or moving what is selected. */
export function walkStrokes({ sheet, notebook, pointer, link, answer, notice }) {
  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  sheet.settled.addEventListener("keydown", (event) => {
    const direction = directions[event.key];
    if (!direction || event.ctrlKey || event.metaKey || !notebook.strokes.length) return;
    event.preventDefault();
    if (event.altKey) {
      const step = event.shiftKey ? 20 : 4;
      if (!sheet.selected.size && sheet.cursor) pointer.select([sheet.cursor]);
      pointer.moveSelected(direction[0] * step, direction[1] * step);
      return;
    }
    const strokes = [...notebook.strokes].sort((a, b) => boundsOf([a]).left - boundsOf([b]).left);
    const present = strokes.findIndex(({ id }) => id === sheet.cursor);
    const step = direction[0] + direction[1];
    const next = present < 0 ? (step > 0 ? 0 : strokes.length - 1) : (present + step + strokes.length) % strokes.length;
    sheet.cursor = strokes[next].id;
    if (event.shiftKey) pointer.select([...sheet.selected, sheet.cursor]);
    sheet.reveal([strokes[next]]);
    link.lightStroke(sheet.cursor);
    sheet.paint();
    const read = link.token === null ? "not read" : `read as ${answer.tokens[link.token] ?? "nothing"}`;
    notice.announce(`Stroke ${next + 1} of ${strokes.length}, ${read}`);
  });
  sheet.settled.addEventListener("blur", () => {
    sheet.cursor = null;
    sheet.paint();
  });
}
