// Open and save ink, and the clipboard.

import { boundsOf, placed } from "./geometry.js";
import { formulaSvg, inkSvg, toExcalidraw, toInkml, toJson, toPng, toXopp } from "./export.js";
import { authorization } from "./live.js";
import { newId } from "./notebook.js";

/** Strokes as lists of [x, y, …] made strokes of the page, at the size of handwriting. */
export function asStrokes(lists) {
  const strokes = lists.map((points) => ({ id: newId(), points: points.map(([x, y, time, pressure]) => [x, y, time ?? 0, pressure ?? 0.5]) }));
  const box = boundsOf(strokes);
  if (!box) return [];
  const heights = strokes.map((stroke) => boundsOf([stroke])).map(({ width, height }) => Math.max(width, height));
  const usual = heights.sort((a, b) => a - b)[Math.floor(heights.length / 2)] || Math.max(box.width, box.height) || 1;
  const scale = Math.min(46 / usual, 1100 / (box.width || 1));
  return placed(strokes, scale, 80 - box.left * scale, 80 - box.top * scale).map((stroke) => ({
    ...stroke,
    points: stroke.points.map(([x, y, ...rest]) => [Math.round(x * 100) / 100, Math.round(y * 100) / 100, ...rest]),
  }));
}

/** Read an ink file; gives a list of { name, strokes }, or throws an Error with words for people. */
export async function readFile(file, live) {
  const limit = live.limits?.body_bytes ?? 512 * 1024;
  if (file.size > limit) throw new Error(`${file.name} is larger than ${Math.round(limit / 1024)} KB.`);
  const form = new FormData();
  form.append("file", file);
  const response = await fetch("v1/ink", { method: "POST", body: form, headers: authorization(live.token) }).catch(() => null);
  if (!response) throw new Error("No connection to the server.");
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error.message);
  const inks = answer.inks.filter(({ strokes }) => strokes?.length);
  if (!inks.length) throw new Error(answer.inks.find(({ error }) => error)?.error ?? "There is no ink in this file.");
  return inks.map(({ source, strokes }) => ({ name: source, strokes: asStrokes(strokes) }));
}

/** Let files be dropped on the page. */
export function acceptDrops(target, veil, take) {
  let depth = 0;
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const show = (yes) => (veil.hidden = !yes);
  addEventListener("dragenter", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth += 1;
    show(true);
  });
  addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
  addEventListener("dragleave", (event) => {
    if (holdsFiles(event) && --depth <= 0) show(false);
  });
  addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth = 0;
    show(false);
    take([...event.dataTransfer.files]);
  });
}

/** Give a file to the person. */
export function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function saveInk(kind, strokes, latex) {
  const name = `formula.${kind}`;
  if (kind === "inkml") download(name, toInkml(strokes, latex), "application/inkml+xml");
  else if (kind === "json") download(name, toJson(strokes, latex), "application/json");
  else if (kind === "xopp") download(name, await toXopp(strokes, latex));
  else if (kind === "excalidraw") download(name, toExcalidraw(strokes), "application/json");
  else if (kind === "svg") download(name, inkSvg(strokes), "image/svg+xml");
  else download(name, await toPng(inkSvg(strokes)), "image/png");
}

/** Put text on the clipboard, also where the modern way is closed (plain http on a network). */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error("The browser does not allow copying.");
  }
}

async function copyPng(blob, name) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    return "Copied";
  } catch {
    download(name, blob);
    return "Saved as a file: the browser does not allow copying pictures";
  }
}

/** Copy the answer in one of its forms; gives what to tell. */
export async function copyAs(kind, { latex, mathml, typst, math, strokes }) {
  if (kind === "latex") await copyText(latex);
  else if (kind === "mathml") await copyText(plainMathml(mathml));
  else if (kind === "typst") await copyText(typst);
  else if (kind === "ink-svg") await copyText(inkSvg(strokes));
  else if (kind === "formula-svg") await copyText(await formulaSvg(math));
  else if (kind === "ink-png") return copyPng(await toPng(inkSvg(strokes)), "ink.png");
  else return copyPng(await toPng(await formulaSvg(math)), "formula.png");
  return `${{ latex: "LaTeX", mathml: "MathML", typst: "Typst" }[kind] ?? "SVG"} copied`;
}

/** The marks that tie the formula to the ink are of no use elsewhere. */
const plainMathml = (mathml) => mathml.replace(/ data-token="\d+"/g, "");
