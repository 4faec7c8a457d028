/** Open and save, and the clipboard. */
import type { Backend } from "../pad/backend";
import { aligned, cases } from "../pad/desk";
import { boundsOf, placed } from "../pad/geometry";
import { newId, type Stroke } from "../pad/ink";
import { say } from "./dom";
import { toExcalidraw, toInkml, toJson, toXopp } from "./inkfiles";
import { formulaSvg, inkSvg, toPng } from "./pictures";

/** Strokes as lists of [x, y, …] made strokes of the page, at the size of handwriting. */
export function asStrokes(lists: readonly (readonly (readonly number[])[])[]): Stroke[] {
  const strokes = lists.map((points) => ({ id: newId(), points: points.map(([x, y, time, pressure]) => [x, y, time ?? 0, pressure ?? 0.5]) }));
  const box = boundsOf(strokes);
  if (!box) return [];
  const sizes = strokes.map((stroke) => boundsOf([stroke])!).map(({ width, height }) => Math.max(width, height));
  const usual = sizes.sort((a, b) => a - b)[Math.floor(sizes.length / 2)] || Math.max(box.width, box.height) || 1;
  const scale = Math.min(46 / usual, 1100 / (box.width || 1));
  return placed(strokes, scale, 80 - box.left * scale, 80 - box.top * scale).map((stroke) => ({
    ...stroke,
    points: stroke.points.map(([x, y, ...rest]) => [Math.round(x * 100) / 100, Math.round(y * 100) / 100, ...rest]),
  }));
}

/** Read an ink file; throws an Error with words for people. */
export async function readFile(file: File, backend: Backend | null): Promise<{ name: string; strokes: Stroke[] }[]> {
  try {
    const inks = backend?.readInk ? await backend.readInk(file) : [await readJson(file)];
    return inks.map(({ name, strokes }) => ({ name, strokes: asStrokes(strokes) }));
  } catch (error) {
    const { message } = error as Error;
    throw new Error(message === "offline" ? say("offline") : message === "no-ink" ? say("noInk") : message);
  }
}

/** Without a server the page reads its own JSON and Excalidraw's. */
async function readJson(file: File): Promise<{ name: string; strokes: number[][][] }> {
  const content = await file.text().then(JSON.parse).catch(() => null);
  const drawn = content?.elements?.filter((each: { type: string }) => each.type === "freedraw");
  const strokes = drawn
    ? drawn.map(({ x, y, points }: { x: number; y: number; points: number[][] }) => points.map(([px, py]) => [x + px, y + py]))
    : content?.strokes ?? content;
  if (!Array.isArray(strokes) || !strokes.length) throw new Error("no-ink");
  return { name: file.name, strokes };
}

/** Let files be dropped on the page. */
export function acceptDrops(veil: HTMLElement, take: (files: File[]) => void): void {
  let depth = 0;
  const holdsFiles = (event: DragEvent): boolean => [...(event.dataTransfer?.types ?? [])].includes("Files");
  window.addEventListener("dragenter", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth += 1;
    veil.hidden = false;
  });
  window.addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
  window.addEventListener("dragleave", (event) => {
    if (holdsFiles(event) && --depth <= 0) veil.hidden = true;
  });
  window.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    take([...event.dataTransfer!.files]);
  });
}

/** Give a file to the person. */
export function download(name: string, content: string | Blob, type = ""): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What can be saved and copied. */
export interface Content {
  strokes: readonly Stroke[];
  /** Of the present line. */
  latex: string;
  mathml: string;
  typst: string;
  /** Of all lines. */
  lines: readonly { latex: string; mathml: string }[];
}

const whole = ({ lines, latex }: Content): string => (lines.length > 1 ? aligned(lines.map((line) => line.latex)) : latex);
const formulas = ({ lines, mathml }: Content): string[] => (lines.length > 1 ? lines.map((line) => line.mathml) : [mathml]);

/** Save ink (`inkml`, …) or the formula (`formula.svg`, …). */
export async function saveAs(kind: string, content: Content): Promise<void> {
  const { strokes, latex } = content;
  const name = kind.includes(".") ? kind : `formula.${kind}`;
  if (kind === "inkml") download(name, toInkml(strokes, latex), "application/inkml+xml");
  else if (kind === "json") download(name, toJson(strokes, latex), "application/json");
  else if (kind === "xopp") download(name, await toXopp(strokes, latex));
  else if (kind === "excalidraw") download(name, toExcalidraw(strokes), "application/json");
  else if (kind === "svg") download("ink.svg", inkSvg(strokes), "image/svg+xml");
  else if (kind === "png") download("ink.png", await toPng(inkSvg(strokes)));
  else if (kind === "formula.svg") download(name, await formulaSvg(formulas(content)), "image/svg+xml");
  else if (kind === "formula.png") download(name, await toPng(await formulaSvg(formulas(content))));
  else if (kind === "formula.mml") download(name, oneMathml(formulas(content).map(plainMathml)), "application/mathml+xml");
  else download(name, `\\[\n${whole(content)}\n\\]\n`, "text/x-tex");
}

/** Put text on the clipboard, also where the modern way is closed (plain http on a network). */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    (document.querySelector("dialog[open]") ?? document.body).append(field); // outside an open dialog nothing can be marked
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error(say("cannotCopy"));
  }
}

/** MathML as Word takes it: as HTML with the formula in it, and the same as text. */
async function copyMathml(mathml: string): Promise<void> {
  try {
    const html = `<html><body><!--StartFragment-->${mathml}<!--EndFragment--></body></html>`;
    await navigator.clipboard.write([
      new ClipboardItem({ "text/html": new Blob([html], { type: "text/html" }), "text/plain": new Blob([mathml], { type: "text/plain" }) }),
    ]);
  } catch {
    await copyText(mathml);
  }
}

async function copyPng(blob: Blob, name: string): Promise<string> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    return say("copiedPicture");
  } catch {
    download(name, blob);
    return say("savedInstead");
  }
}

/** Copy the answer in one of its forms; gives what to tell. */
export async function copyAs(kind: string, content: Content): Promise<string> {
  const { latex, mathml, typst, strokes, lines } = content;
  const each = lines.map((line) => line.latex);
  const texts: Record<string, [string, string | (() => string | Promise<string>)]> = {
    latex: ["LaTeX", latex],
    inline: ["LaTeX", `$${latex}$`],
    display: ["LaTeX", `\\[${latex}\\]`],
    markdown: ["Markdown", `$$\n${latex}\n$$`],
    typst: ["Typst", typst],
    "ink-svg": ["SVG", () => inkSvg(strokes)],
    "formula-svg": ["SVG", () => formulaSvg(formulas(content))],
    "all-aligned": ["LaTeX", () => aligned(each)],
    "all-cases": ["LaTeX", () => cases(each)],
    "all-lines": ["LaTeX", () => each.join("\n")],
    "all-markdown": ["Markdown", () => each.map((line) => `$$\n${line}\n$$`).join("\n\n")],
  };
  if (kind === "ink-png") return copyPng(await toPng(inkSvg(strokes)), "ink.png");
  if (kind === "formula-png") return copyPng(await toPng(await formulaSvg(formulas(content))), "formula.png");
  if (kind === "mathml") {
    await copyMathml(plainMathml(mathml));
    return say("copied", { what: "MathML" });
  }
  const [what, text] = texts[kind];
  await copyText(typeof text === "string" ? text : await text());
  return say("copied", { what });
}

/** Formulas as one, each in its row. */
function oneMathml(formulas: readonly string[]): string {
  if (formulas.length === 1) return formulas[0];
  const rows = formulas.map((mathml) => `<mtr><mtd>${mathml.replace(/^\s*<math[^>]*>|<\/math>\s*$/g, "")}</mtd></mtr>`);
  const table = `<mtable columnalign="left" displaystyle="true">${rows.join("\n")}</mtable>`;
  return `<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">${table}</math>`;
}

/** The marks that tie the formula to the ink are of no use elsewhere. */
const plainMathml = (mathml: string): string => mathml.replace(/ data-token="\d+"/g, "");
