/** Ink as files that other programs read. */
import { boundsOf } from "../pad/geometry";
import type { Stroke } from "../pad/ink";

type Ink = readonly Stroke[];

export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]!);

/** What pens look like on white paper. */
export const PRINT: Record<string, string> = {
  ink: "#1c2438", blue: "#1857c9", red: "#c2261d", green: "#14713f", orange: "#a85400", purple: "#7a33c2",
};
export const printColour = ({ colour }: Stroke): string => PRINT[colour ?? "ink"] ?? PRINT.ink;

/** InkML with X, Y, time and pressure, and the LaTeX as truth. */
export function toInkml(strokes: Ink, latex: string): string {
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
export function toJson(strokes: Ink, latex: string): string {
  const first = strokes[0]?.points[0]?.[2] ?? 0;
  return JSON.stringify({
    strokes: strokes.map(({ points }) => points.map(([x, y]) => [x, y])),
    time: strokes.map(({ points }) => points.map(([, , time]) => (time ?? first) - first)),
    pressure: strokes.map(({ points }) => points.map(([, , , pressure]) => pressure ?? 0.5)),
    ...(latex ? { truth: latex } : {}),
  });
}

/** An Excalidraw drawing: one freehand element per stroke, its points relative to its first. */
export function toExcalidraw(strokes: Ink): string {
  const elements = strokes.map((stroke, i) => {
    const { points } = stroke;
    const [x, y] = points[0];
    const { width, height } = boundsOf([stroke])!;
    return {
      id: `ink-${stroke.id ?? i}`, type: "freedraw", x, y, width, height, angle: 0,
      strokeColor: stroke.colour ? printColour(stroke) : "#1e1e1e", backgroundColor: "transparent", fillStyle: "solid",
      strokeWidth: 2 * (stroke.width ?? 1), strokeStyle: "solid", roughness: 0, opacity: 100, groupIds: [], seed: i + 1, version: 1,
      versionNonce: i + 1, isDeleted: false,
      points: points.map(([px, py]) => [px - x, py - y]),
      pressures: points.map(([, , , pressure]) => pressure ?? 0.5), simulatePressure: false,
    };
  });
  return JSON.stringify({ type: "excalidraw", version: 2, source: "inktex", elements, appState: {}, files: {} });
}

/** A Xournal++ notebook of one page that is large enough; widths follow the pressure. */
export async function toXopp(strokes: Ink, latex: string): Promise<Blob> {
  const margin = 30;
  const box = boundsOf(strokes) ?? { left: 0, top: 0, width: 0, height: 0 };
  const size = [Math.max(595.28, box.width + 2 * margin), Math.max(841.89, box.height + 2 * margin)];
  const lines = strokes.map((stroke) => {
    const pen = 1.6 * (stroke.width ?? 1);
    const drawn = stroke.points.length > 1 ? stroke.points : [stroke.points[0], stroke.points[0]]; // a dot is a line of no length there
    const widths = drawn.slice(1).map(([, , , pressure]) => (pen * 2 * (pressure ?? 0.5)).toFixed(2));
    const places = drawn.map(([x, y]) => `${(x - box.left + margin).toFixed(2)} ${(y - box.top + margin).toFixed(2)}`);
    return `<stroke tool="pen" color="${printColour(stroke)}ff" width="${[pen, ...widths].join(" ")}">${places.join(" ")}</stroke>`;
  });
  const xml =
    '<?xml version="1.0" standalone="no"?>\n<xournal creator="inktex" fileversion="4">\n' +
    `<title>${escaped(latex)}</title>\n<page width="${size[0].toFixed(2)}" height="${size[1].toFixed(2)}">\n` +
    `<background type="solid" color="#ffffffff" style="plain"/>\n<layer>\n${lines.join("\n")}\n</layer>\n</page>\n</xournal>\n`;
  return new Response(new Blob([xml]).stream().pipeThrough(new CompressionStream("gzip"))).blob();
}
