/**
 * The paper: strokes, the view on them (zoom and pan), and how they are painted on two canvases.
 *
 * The lower canvas holds what is settled and is painted when something changed; the upper one holds the line that is being
 * written, so that a stroke appears under the pen without painting all the others again.
 */
import { boundsOf } from "./geometry";
import type { Point, Stroke } from "./ink";
import { outlineOf, PEN_WIDTH, samplesOf } from "./outline";

const SMALLEST = 0.2, LARGEST = 6;
const COLOURS = ["ink", "grid", "accent", "accent-soft", "doubt", "twice", "why-back", "why-ink", "why-lit"] as const;
/** Pens to write with, beside the colour of ink. */
export const PEN_COLOURS = ["blue", "red", "green", "orange", "purple"] as const;

type Context = CanvasRenderingContext2D;
export interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class Sheet extends EventTarget {
  #outlines = new WeakMap<Stroke, Path2D[]>();
  #asked = false;
  #wet: Edges | null = null; // what is covered on the upper canvas, in its pixels
  #paper: Context;
  #pen: Context;
  #ratio = 1;
  #colours: Record<string, string> = {};
  #waiting: (() => void) | null = null; // ink to be shown as soon as the paper has a size
  view = { x: 0, y: 0, zoom: 1 };
  width = 0;
  height = 0;
  strokes: readonly Stroke[] = [];
  lit: ReadonlySet<string> = new Set();
  selected: ReadonlySet<string> = new Set();
  unread: ReadonlySet<string> = new Set();
  reread: ReadonlySet<string> = new Set();
  cursor: string | null = null; // the stroke that keys point at
  attention: Map<string, number[]> | null = null; // brightness 0..1 of each point, by stroke
  lasso: readonly Point[] | null = null;
  hidden = new Set<string>(); // strokes about to be erased
  shift: [number, number] | null = null; // how far the selection is being dragged
  /** What lies over the paper at its edges; ink is shown beside it. */
  covered: Edges = { left: 0, top: 0, right: 0, bottom: 0 };

  constructor(readonly settled: HTMLCanvasElement, readonly wet: HTMLCanvasElement, private readonly probe: HTMLElement) {
    super();
    this.#paper = settled.getContext("2d")!;
    this.#pen = wet.getContext("2d", { desynchronized: true })!;
    new ResizeObserver(() => this.#resize()).observe(settled);
  }

  /** Take the colours from the style again, after a change of theme; painted at once, as printing does not wait. */
  readColours(): void {
    const style = getComputedStyle(this.probe);
    for (const name of [...COLOURS, ...PEN_COLOURS]) {
      this.probe.style.color = `var(--_${name})`;
      this.#colours[name] = style.color;
    }
    this.#paintNow();
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.settled;
    const turned = this.width > 0 && width !== this.width && this.#holds(this.strokes);
    this.#ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.settled, this.wet]) {
      canvas.width = Math.round(width * this.#ratio);
      canvas.height = Math.round(height * this.#ratio);
    }
    this.width = width;
    this.height = height;
    this.dispatchEvent(new Event("resize"));
    if (width) this.#waiting?.();
    // A keyboard that comes up takes height only, and gives it back: then the view stays.
    if (turned && width) this.reveal(this.strokes);
    this.#paintNow();
  }

  // The view -------------------------------------------------------------------------------------------------

  /** A place on the screen (px in the canvas) as a place on the paper. */
  toPaper(x: number, y: number): [number, number] {
    return [(x - this.view.x) / this.view.zoom, (y - this.view.y) / this.view.zoom];
  }

  toScreen(x: number, y: number): [number, number] {
    return [x * this.view.zoom + this.view.x, y * this.view.zoom + this.view.y];
  }

  /** Back to a view that was. */
  look(view: Sheet["view"]): void {
    this.view = view;
    this.#viewed();
  }

  pan(dx: number, dy: number): void {
    this.view = { ...this.view, x: this.view.x + dx, y: this.view.y + dy };
    this.#viewed();
  }

  /** Zoom so that the place under (x, y) stays there. */
  zoomAt(factor: number, x = this.width / 2, y = this.height / 2): void {
    const zoom = Math.min(LARGEST, Math.max(SMALLEST, this.view.zoom * factor));
    const [px, py] = this.toPaper(x, y);
    this.view = { zoom, x: x - px * zoom, y: y - py * zoom };
    this.#viewed();
  }

  /** Show all ink, no larger than it was written, beside what covers the paper. */
  fit(strokes: readonly Stroke[] = this.strokes, largest = 1, covered = this.covered): void {
    this.#waiting = this.width ? null : () => this.fit(strokes, largest);
    if (this.#waiting) return;
    const box = boundsOf(strokes);
    if (!box) this.view = { x: 0, y: 0, zoom: 1 };
    else {
      const { left, right, top, bottom } = covered;
      const width = this.width - left - right - 48, height = this.height - top - bottom - 48;
      const zoom = Math.max(SMALLEST, Math.min(largest, width / (box.width || 1), height / (box.height || 1)));
      this.view = {
        zoom,
        x: left + 24 + width / 2 - ((box.left + box.right) / 2) * zoom,
        y: top + 24 + height / 2 - ((box.top + box.bottom) / 2) * zoom,
      };
    }
    this.#viewed();
  }

  /** Bring strokes into view if they are not. */
  reveal(strokes: readonly Stroke[]): void {
    if (!this.#holds(strokes)) this.fit(this.strokes, this.view.zoom);
  }

  /** Whether strokes are in view as a whole. */
  #holds(strokes: readonly Stroke[]): boolean {
    const box = boundsOf(strokes);
    if (!box) return true;
    const [left, top] = this.toScreen(box.left, box.top), [right, bottom] = this.toScreen(box.right, box.bottom);
    return left >= 0 && top >= 0 && right <= this.width && bottom <= this.height;
  }

  #viewed(): void {
    this.dispatchEvent(new Event("view"));
    this.paint();
  }

  // Painting -------------------------------------------------------------------------------------------------

  /** Paint before the next frame. */
  paint(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => this.#paintNow());
  }

  #begin(context: Context): void {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    const { x, y, zoom } = this.view, r = this.#ratio;
    context.setTransform(zoom * r, 0, 0, zoom * r, x * r, y * r);
  }

  #paintNow(): void {
    this.#asked = false;
    const context = this.#paper;
    this.#begin(context);
    this.#paintGrid(context);
    if (this.attention) {
      this.#paintAttention(context, this.attention);
      return;
    }
    for (const stroke of this.strokes) {
      if (this.hidden.has(stroke.id)) context.globalAlpha = 0.18;
      const [dx, dy] = this.shift && this.selected.has(stroke.id) ? this.shift : [0, 0];
      context.translate(dx, dy);
      this.#paintStroke(context, stroke);
      context.translate(-dx, -dy);
      context.globalAlpha = 1;
    }
    if (this.selected.size) this.#paintFrame(context);
    if (this.lasso) this.#paintLasso(context, this.lasso);
  }

  #outline(stroke: Stroke): Path2D[] {
    let outline = this.#outlines.get(stroke);
    if (!outline) {
      outline = outlineOf(stroke.points, PEN_WIDTH * (stroke.width ?? 1));
      this.#outlines.set(stroke, outline);
    }
    return outline;
  }

  #colourOf({ colour }: { colour?: string }): string {
    return this.#colours[colour ?? "ink"] ?? this.#colours.ink;
  }

  #halo(context: Context, stroke: Stroke, colour: string, width: number, dash: number[] = []): void {
    context.save();
    context.strokeStyle = colour;
    context.lineWidth = width / this.view.zoom;
    context.lineJoin = context.lineCap = "round";
    context.setLineDash(dash.map((d) => d / this.view.zoom));
    context.stroke(this.#line(stroke));
    context.restore();
  }

  #line(stroke: Stroke): Path2D {
    const path = new Path2D();
    samplesOf(stroke.points).forEach(({ x, y }, i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
    if (stroke.points.length === 1) path.lineTo(stroke.points[0][0] + 0.01, stroke.points[0][1]);
    return path;
  }

  #paintStroke(context: Context, stroke: Stroke): void {
    const { id } = stroke, colours = this.#colours;
    if (this.unread.has(id)) this.#halo(context, stroke, colours.doubt, 13, [1, 7]);
    if (this.reread.has(id)) this.#halo(context, stroke, colours.twice, 13, [9, 7]);
    if (this.lit.has(id)) this.#halo(context, stroke, colours["accent-soft"], 16);
    if (this.selected.has(id)) this.#halo(context, stroke, colours["accent-soft"], 12);
    if (this.cursor === id) this.#halo(context, stroke, colours.accent, 12, [2, 5]);
    context.fillStyle = context.strokeStyle = this.lit.has(id) ? colours.accent : this.#colourOf(stroke);
    for (const part of this.#outline(stroke)) context.fill(part);
    if (this.view.zoom < 0.9) {
      // Ink seen from afar stays as legible as ink nearby.
      context.lineWidth = Math.min(2, 0.6 / this.view.zoom - 0.6);
      for (const part of this.#outline(stroke)) context.stroke(part);
    }
  }

  #paintGrid(context: Context): void {
    const zoom = this.view.zoom;
    const step = zoom < 0.6 ? 64 : zoom > 2.5 ? 16 : 32;
    const [left, top] = this.toPaper(0, 0), [right, bottom] = this.toPaper(this.width, this.height);
    context.fillStyle = this.attention ? this.#colours["why-back"] : this.#colours.grid;
    if (this.attention) {
      context.fillRect(left, top, right - left, bottom - top);
      return;
    }
    const size = 1.6 / zoom;
    for (let x = Math.floor(left / step) * step; x < right; x += step) {
      for (let y = Math.floor(top / step) * step; y < bottom; y += step) context.fillRect(x - size / 2, y - size / 2, size, size);
    }
  }

  /** Attention as in the paper's figures: red on dark, the more the brighter. */
  #paintAttention(context: Context, attention: Map<string, number[]>): void {
    context.fillStyle = this.#colours["why-ink"];
    for (const part of this.strokes.flatMap((stroke) => this.#outline(stroke))) context.fill(part);
    context.lineJoin = "round";
    context.strokeStyle = this.#colours["why-lit"];
    for (const stroke of this.strokes) {
      const levels = attention.get(stroke.id);
      if (levels) this.#paintLevels(context, stroke, levels);
    }
    context.globalAlpha = 1;
  }

  /** A soft glow along the whole stroke, and on it the line, each piece as bright as its points. */
  #paintLevels(context: Context, stroke: Stroke, levels: number[]): void {
    const { points } = stroke;
    context.lineCap = "round";
    context.lineWidth = 13;
    context.globalAlpha = 0.24 * Math.max(...levels) ** 2;
    context.stroke(this.#line(stroke));
    context.lineWidth = 4.6;
    context.lineCap = points.length > 1 ? "butt" : "round"; // round ends of each piece would show as beads
    for (let i = Math.min(1, points.length - 1); i < points.length; i++) {
      if (levels[i] < 0.02) continue;
      context.globalAlpha = Math.min(1, levels[i]);
      context.beginPath();
      const [x, y] = points[Math.max(0, i - 1)];
      context.moveTo(x, y);
      context.lineTo(points[i][0] + (i ? 0 : 0.01), points[i][1]);
      context.stroke();
    }
  }

  #dashes(context: Context, long: number): void {
    context.strokeStyle = this.#colours.accent;
    context.lineWidth = 1.5 / this.view.zoom;
    context.setLineDash([long / this.view.zoom, 5 / this.view.zoom]);
    context.stroke();
    context.restore();
  }

  #paintFrame(context: Context): void {
    const box = boundsOf(this.strokes.filter((stroke) => this.selected.has(stroke.id)));
    if (!box) return;
    const margin = 12 / this.view.zoom, [dx, dy] = this.shift ?? [0, 0];
    context.save();
    context.beginPath();
    context.roundRect(box.left - margin + dx, box.top - margin + dy, box.width + 2 * margin, box.height + 2 * margin, margin);
    this.#dashes(context, 6);
  }

  #paintLasso(context: Context, lasso: readonly Point[]): void {
    context.save();
    context.beginPath();
    lasso.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.fillStyle = this.#colours["accent-soft"];
    context.globalAlpha = 0.4;
    context.fill();
    context.globalAlpha = 1;
    this.#dashes(context, 5);
  }

  /** Wipe the upper canvas where something is on it, and remember what the next painting covers. */
  #wipe(points: readonly Point[], margin: number): void {
    const context = this.#pen, r = this.#ratio, wet = this.#wet;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (wet) context.clearRect(wet.left, wet.top, wet.right - wet.left, wet.bottom - wet.top);
    const { x, y, zoom } = this.view;
    const box = boundsOf([{ points }]);
    this.#wet = box && {
      left: Math.floor(((box.left - margin) * zoom + x) * r), top: Math.floor(((box.top - margin) * zoom + y) * r),
      right: Math.ceil(((box.right + margin) * zoom + x) * r), bottom: Math.ceil(((box.bottom + margin) * zoom + y) * r),
    };
    context.setTransform(zoom * r, 0, 0, zoom * r, x * r, y * r);
  }

  /** Paint the line being written, with a guess of where it goes in the next moment; none: wipe it away. */
  paintWet(points: readonly Point[] | null, guessed: readonly Point[] = [], pen: Pick<Stroke, "colour" | "width"> = {}): void {
    const width = PEN_WIDTH * (pen.width ?? 1);
    this.#wipe([...(points ?? []), ...guessed], 8 * (pen.width ?? 1));
    if (!points?.length) return;
    this.#pen.fillStyle = this.#colourOf(pen);
    for (const part of outlineOf([...points, ...guessed], width)) this.#pen.fill(part);
  }

  /** Show where the eraser is. */
  paintEraser(x: number, y: number, radius: number): void {
    this.#wipe([[x, y]], radius + 3 / this.view.zoom);
    this.#pen.strokeStyle = this.#colours.accent;
    this.#pen.lineWidth = 1.5 / this.view.zoom;
    this.#pen.beginPath();
    this.#pen.arc(x, y, radius, 0, 2 * Math.PI);
    this.#pen.stroke();
  }
}
