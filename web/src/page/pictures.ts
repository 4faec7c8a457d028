/** Ink and formulas as pictures: strokes and MathML in, SVG and PNG out. */
import { boundsOf } from "../pad/geometry";
import { mathElement } from "../pad/formula";
import type { Stroke } from "../pad/ink";
import { svgPathOf } from "../pad/outline";
import { printColour } from "./inkfiles";

/** The ink as an SVG picture. */
export function inkSvg(strokes: readonly Stroke[], { colour, width = 3.4, margin = 10 }: { colour?: string; width?: number; margin?: number } = {}): string {
  const box = boundsOf(strokes) ?? { left: 0, top: 0, width: 1, height: 1 };
  const size = [box.width + 2 * margin, box.height + 2 * margin].map((value) => Math.round(value * 100) / 100);
  const view = `${box.left - margin} ${box.top - margin} ${size.join(" ")}`;
  const line = (stroke: Stroke): string =>
    `<path stroke="${colour ?? printColour(stroke)}" stroke-width="${width * (stroke.width ?? 1)}" d="${svgPathOf(stroke.points)}"/>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="${view}">` +
    `<g fill="none" stroke-linecap="round" stroke-linejoin="round">${strokes.map(line).join("")}</g></svg>`
  );
}

/** A small picture of ink as an element, in the colour of the text around it. */
export function inkThumbnail(strokes: readonly Stroke[]): SVGSVGElement {
  const parsed = new DOMParser().parseFromString(inkSvg(strokes, { colour: "currentColor", width: 4 }), "image/svg+xml");
  const svg = document.importNode(parsed.documentElement, true) as unknown as SVGSVGElement;
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

/** A formula as an SVG picture of paths, which every program reads. The glyphs are fetched when they are first needed. */
export async function formulaSvg(mathml: readonly string[]): Promise<string> {
  const [{ typeset }, glyphs] = await Promise.all([
    import("./typeset"), fetch("glyphs.json").then((response) => response.json()),
  ]);
  return typeset(mathml.map((text) => mathElement(text)), glyphs);
}

/** An SVG picture as PNG, twice as large, on white. */
export async function toPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  const context = canvas.getContext("2d")!;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), "image/png"));
}
