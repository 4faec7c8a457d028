/** Keys: everything that can be done without a pointer. Letters work only while no text is being typed. */
import type { Tool } from "../pad/pointer";

export interface Commands {
  tool(tool: Tool): void;
  holdSpace(held: boolean): void;
  zoom(factor: number): void;
  candidate(number: number): void;
  undo(): void;
  redo(): void;
  clear(): void;
  erase(): void;
  selectAll(): void;
  escape(): void;
  fit(): void;
  edit(): void;
  why(): void;
  examples(): void;
  help(): void;
  open(): void;
  save(): void;
  copy(): void;
}

const targetOf = (event: Event): Element => event.composedPath()[0] as Element;
const typing = (target: Element): boolean => target.matches?.("input:not([type=range]), textarea, select, [contenteditable]");

/** Connect keys with commands. */
export function listen(commands: Commands): void {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.ctrlKey || event.metaKey) withControl(event, commands);
    else if (!event.altKey && !typing(targetOf(event))) plain(event, commands);
  });
  window.addEventListener("keyup", (event) => {
    if (event.key === " ") commands.holdSpace(false);
  });
  window.addEventListener("blur", () => commands.holdSpace(false));
}

function withControl(event: KeyboardEvent, commands: Commands): void {
  const inText = typing(targetOf(event));
  const chosen = {
    z: inText ? null : event.shiftKey ? commands.redo : commands.undo,
    y: inText ? null : commands.redo,
    s: commands.save,
    o: commands.open,
    a: inText ? null : commands.selectAll,
    // Copying what is marked on the page stays the browser's.
    c: inText || String(getSelection()) ? null : commands.copy,
  }[event.key.toLowerCase()];
  if (!chosen) return;
  event.preventDefault();
  chosen();
}

function plain(event: KeyboardEvent, commands: Commands): void {
  const onButton = targetOf(event).matches?.("button, [role^=menuitem], a, input, summary");
  if (event.key === " " && !onButton) {
    event.preventDefault();
    commands.holdSpace(true);
    return;
  }
  const chosen: (() => void) | undefined = {
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
