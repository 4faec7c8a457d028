// Ink and formula as files and pictures: strokes and elements in, text and images out.

import { boundsOf } from "./geometry.js";
import { svgPathOf } from "./outline.js";

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

/** InkML with X, Y, time and pressure, and the LaTeX as truth. */
export function toInkml(strokes, latex) {
  const first = strokes[0]?.points[0]?.[2] ?? 0;
  const traces = strokes.map(({ points }, i) => {
    const rows = points.map(([x, y, time, pressure]) => `${x} ${y} ${(time ?? first) - first} ${pressure ?? 0.5}`);
    return `<trace id="${i}">${rows.join(", ")}</trace>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<ink xmlns="http://www.w3.org/2003/InkML">',
    "<traceFormat>",
    ...["X", "Y", "T", "F"].map((name) => `<channel name="${name}" type="decimal"/>`),
    "</traceFormat>",
    ...(latex ? [`<annotation type="truth">${escaped(latex)}</annotation>`] : []),
    ...traces,
    "</ink>\n",
  ].join("\n");
}

/** The JSON that inktex reads and writes. */
export function toJson(strokes, latex) {
  const first = strokes[0]?.points[0]?.[2] ?? 0;
  return JSON.stringify({
    strokes: strokes.map(({ points }) => points.map(([x, y]) => [x, y])),
    time: strokes.map(({ points }) => points.map(([, , time]) => (time ?? first) - first)),
    pressure: strokes.map(({ points }) => points.map(([, , , pressure]) => pressure ?? 0.5)),
    ...(latex ? { truth: latex } : {}),
  });
}

/** An Excalidraw drawing: one freehand element per stroke, its points relative to its first. */
export function toExcalidraw(strokes) {
  const elements = strokes.map(({ id, points }, i) => {
    const [x, y] = points[0];
    const box = boundsOf([{ points }]);
    return {
      id: `ink-${id ?? i}`, type: "freedraw", x, y, width: box.width, height: box.height, angle: 0,
      strokeColor: "#1e1e1e", backgroundColor: "transparent", fillStyle: "solid", strokeWidth: 2, strokeStyle: "solid",
      roughness: 0, opacity: 100, groupIds: [], seed: i + 1, version: 1, versionNonce: i + 1, isDeleted: false,
      points: points.map(([px, py]) => [px - x, py - y]),
      pressures: points.map(([, , , pressure]) => pressure ?? 0.5), simulatePressure: false,
    };
  });
  return JSON.stringify({ type: "excalidraw", version: 2, source: "inktex", elements, appState: {}, files: {} });
}

/** A Xournal++ notebook of one page that is large enough; widths follow the pressure. */
export async function toXopp(strokes, latex) {
  const margin = 30, pen = 1.6;
  const box = boundsOf(strokes) ?? { left: 0, top: 0, width: 0, height: 0 };
  const size = [Math.max(595.28, box.width + 2 * margin), Math.max(841.89, box.height + 2 * margin)];
  const lines = strokes.map(({ points }) => {
    const drawn = points.length > 1 ? points : [points[0], points[0]]; // a dot is a line of no length there
    const widths = drawn.slice(1).map(([, , , pressure]) => (pen * 2 * (pressure ?? 0.5)).toFixed(2));
    const places = drawn.map(([x, y]) => `${(x - box.left + margin).toFixed(2)} ${(y - box.top + margin).toFixed(2)}`);
    return `<stroke tool="pen" color="#1c2438ff" width="${[pen, ...widths].join(" ")}">${places.join(" ")}</stroke>`;
  });
  const xml =
    '<?xml version="1.0" standalone="no"?>\n<xournal creator="inktex" fileversion="4">\n' +
    `<title>${escaped(latex ?? "")}</title>\n<page width="${size[0].toFixed(2)}" height="${size[1].toFixed(2)}">\n` +
    `<background type="solid" color="#ffffffff" style="plain"/>\n<layer>\n${lines.join("\n")}\n</layer>\n</page>\n</xournal>\n`;
  return new Response(new Blob([xml]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
}

/** The ink as an SVG picture. */
export function inkSvg(strokes, { colour = "#1c2438", width = 3.4, margin = 10 } = {}) {
  const box = boundsOf(strokes) ?? { left: 0, top: 0, width: 1, height: 1 };
  const size = [box.width + 2 * margin, box.height + 2 * margin].map((value) => Math.round(value * 100) / 100);
  const view = `${box.left - margin} ${box.top - margin} ${size.join(" ")}`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="${view}">` +
    `<g fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round">` +
    strokes.map(({ points }) => `<path d="${svgPathOf(points)}"/>`).join("") +
    "</g></svg>"
  );
}

/** A small picture of ink as an element, in the colour of the text around it. */
export function inkThumbnail(strokes) {
  const parsed = new DOMParser().parseFromString(inkSvg(strokes, { colour: "currentColor", width: 4 }), "image/svg+xml");
  const svg = document.importNode(parsed.documentElement, true);
  const box = boundsOf(strokes);
  const scale = box ? Math.max(box.width / 200, box.height / 90, 0.4) : 1;
  svg.querySelector("g").setAttribute("stroke-width", (2.4 * scale).toFixed(2));
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

/** The rendered formula as an SVG picture that carries its own font. */
export async function formulaSvg(math) {
  const font = await dataAddress("fonts/stix-two-math.woff2");
  const copy = math.cloneNode(true);
  for (const part of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["class", "style"]) part.removeAttribute(name);
    part.removeAttribute("data-token");
  }
  const pixels = 40;
  const shown = parseFloat(getComputedStyle(math).fontSize);
  const { width, height } = math.getBoundingClientRect();
  const size = [width, height].map((value) => Math.ceil((value * pixels) / shown) + 16);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size.join(" ")}">` +
    `<style>@font-face{font-family:"Formula";src:url(${font}) format("woff2")}math{font:${pixels}px "Formula",math;color:#111}` +
    `div{padding:8px;display:flex;justify-content:center}</style>` +
    `<foreignObject width="100%" height="100%"><div xmlns="http://www.w3.org/1999/xhtml">${new XMLSerializer().serializeToString(copy)}</div></foreignObject></svg>`
  );
}

async function dataAddress(address) {
  const blob = await (await fetch(address)).blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result));
    reader.readAsDataURL(blob);
  });
}

/** An SVG picture as PNG, twice as large, on white. */
export async function toPng(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  // Fonts inside the picture are ready a moment after the picture is.
  await new Promise((resolve) => setTimeout(resolve, 60));
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
