/**
 * Pen, finger and mouse on the paper: pointer events in, strokes written, erased, chosen and moved out.
 *
 * A pen always writes. Once a pen was seen, fingers only move the paper: the hand may rest on it. Two fingers zoom and pan in
 * every tool.
 */
import { boundsOf, contains, distanceToStroke, grown, insidePolygon, moved, strokeAt } from "./geometry";
import { newId, type Point } from "./ink";
import type { Link } from "./link";
import type { Notebook } from "./notebook";
import { scratchedOut } from "./scratch";
import type { Sheet } from "./sheet";

const ERASER = 11; // radius in px of the screen
const PALM = 45; // a contact wider than this (px) is a hand

export type Tool = "pen" | "eraser" | "select" | "hand";

/** What one pointer that is down does. */
interface Action {
  id: number;
  start(event: PointerEvent): void;
  move(event: PointerEvent): void;
  end(event: PointerEvent): void;
  cancel(): void;
}

/** Events: `tool`, `selection`, `down`, `up`, `scratched` (CustomEvent of how many strokes). */
export class Pointer extends EventTarget {
  #active: (Action & { kind: string }) | null = null;
  #fingers = new Map<number, [number, number]>(); // touches that are down
  #pinch: { x: number; y: number; distance: number } | null = null;
  #penAt = -Infinity; // when a pen was last near
  #spaceHeld = false;
  #penSeen = false;
  tool: Tool = "pen";
  /** Colour and width of new strokes. */
  pen: { colour?: string; width?: number } = {};
  /** Nothing can be written. */
  locked = false;

  constructor(private readonly sheet: Sheet, private readonly notebook: Notebook, private readonly link: Link) {
    super();
    const canvas = sheet.settled;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"] as const) canvas.addEventListener(name, (event) => this.#up(event));
    canvas.addEventListener("pointerleave", () => this.#leave());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  }

  set space(held: boolean) {
    this.#spaceHeld = held;
    this.#cursor();
  }

  setTool(tool: Tool): void {
    this.tool = tool;
    if (tool !== "select") this.select([]);
    this.sheet.paintWet(null);
    this.#cursor();
    this.dispatchEvent(new Event("tool"));
  }

  #cursor(): void {
    this.sheet.settled.dataset.tool = this.#spaceHeld ? "hand" : this.tool;
  }

  select(ids: Iterable<string>): void {
    this.sheet.selected = new Set(ids);
    this.sheet.paint();
    this.dispatchEvent(new Event("selection"));
  }

  get busy(): boolean {
    return this.#active !== null;
  }

  // One pointer ----------------------------------------------------------------------------------------------

  #place(event: MouseEvent): [number, number] {
    const box = this.sheet.settled.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #point(event: PointerEvent): Point {
    const [x, y] = this.sheet.toPaper(...this.#place(event));
    const pressure = event.pointerType === "pen" ? event.pressure : 0.5;
    return [round(x), round(y), Math.round(event.timeStamp), Math.round(pressure * 1000) / 1000];
  }

  #down(event: PointerEvent): void {
    if (this.locked) return;
    if (event.pointerType === "pen") {
      this.#penSeen = true;
      this.#penAt = event.timeStamp;
      this.#liftHand();
    }
    if (event.pointerType === "touch") {
      if (this.#isPalm(event)) return;
      this.#fingers.set(event.pointerId, this.#place(event));
      if (this.#fingers.size === 2) {
        this.#giveUp();
        this.#pinch = this.#span();
        return;
      }
      if (this.#fingers.size > 2) return;
    }
    if (this.#active || (event.pointerType === "mouse" && event.button > 1)) return;
    try {
      this.sheet.settled.setPointerCapture(event.pointerId);
    } catch {
      // The pointer is up already; what it did is still ink.
    }
    this.sheet.settled.focus({ preventScroll: true, focusVisible: false } as FocusOptions);
    this.link.clear();
    this.#active = { ...this.#actionFor(event), kind: event.pointerType };
    this.#active.start(event);
    this.dispatchEvent(new Event("down"));
  }

  #isPalm(event: PointerEvent): boolean {
    if (Math.max(event.width, event.height) > PALM) return true;
    return event.timeStamp - this.#penAt < 700 || this.#active?.kind === "pen"; // a hand resting while the pen writes
  }

  /** A pen comes down: what touched the paper until now was the hand that holds it. */
  #liftHand(): void {
    this.#fingers.clear();
    this.#pinch = null;
    if (this.#active?.kind === "touch") this.#giveUp();
  }

  #actionFor(event: PointerEvent): Action {
    const hand = this.#spaceHeld || this.tool === "hand" || event.button === 1;
    if (hand || (event.pointerType === "touch" && this.#penSeen)) return this.#panning(event);
    const eraserEnd = event.pointerType === "pen" && (event.buttons & 32 || event.button === 5);
    if (eraserEnd || this.tool === "eraser") return this.#erasing(event);
    if (this.tool === "select") return this.#selecting(event);
    return this.#writing(event);
  }

  #move(event: PointerEvent): void {
    if (event.pointerType === "pen") this.#penAt = event.timeStamp;
    if (event.pointerType === "touch" && this.#fingers.has(event.pointerId)) {
      this.#fingers.set(event.pointerId, this.#place(event));
      if (this.#pinch) {
        this.#pinchMove(this.#pinch);
        return;
      }
    }
    if (this.#active?.id === event.pointerId) this.#active.move(event);
    else if (!this.#active && event.pointerType !== "touch") this.#hover(event);
  }

  #up(event: PointerEvent): void {
    this.#fingers.delete(event.pointerId);
    if (this.#fingers.size < 2) this.#pinch = null;
    if (this.#active?.id !== event.pointerId) return;
    const action = this.#active;
    this.#active = null;
    if (event.type === "pointercancel") action.cancel();
    else action.end(event);
    this.dispatchEvent(new Event("up"));
  }

  #giveUp(): void {
    this.#active?.cancel();
    this.#active = null;
  }

  #leave(): void {
    if (this.#active) return;
    this.sheet.paintWet(null);
    if (this.tool !== "select" || !this.sheet.selected.size) this.link.lightStroke(null);
  }

  #hover(event: PointerEvent): void {
    const [x, y] = this.sheet.toPaper(...this.#place(event));
    if (this.tool === "eraser") this.sheet.paintEraser(x, y, ERASER / this.sheet.view.zoom);
    const stroke = strokeAt(this.notebook.strokes, x, y, 9 / this.sheet.view.zoom);
    this.link.lightStroke(stroke?.id ?? null);
  }

  // What a pointer can do ------------------------------------------------------------------------------------

  #writing(first: PointerEvent): Action {
    const points: Point[] = [], pen = { ...this.pen };
    const take = (event: PointerEvent): void => {
      const point = this.#point(event), last = points[points.length - 1];
      if (!last || last[0] !== point[0] || last[1] !== point[1]) points.push(point);
    };
    const finish = (): void => {
      this.sheet.paintWet(null);
      const stroke = { id: newId(), points, ...pen };
      const scratched = scratchedOut(stroke, this.notebook.strokes);
      if (scratched.length) {
        this.notebook.remove(scratched.map(({ id }) => id));
        this.dispatchEvent(new CustomEvent("scratched", { detail: scratched.length }));
      } else this.notebook.add(stroke);
    };
    return {
      id: first.pointerId,
      start: (event) => {
        take(event);
        this.sheet.paintWet(points, [], pen);
      },
      move: (event) => {
        for (const part of partsOf(event)) take(part);
        const guessed = (event.getPredictedEvents?.() ?? []).slice(0, 2).map((part) => this.#point(part));
        this.sheet.paintWet(points, guessed, pen);
      },
      end: (event) => {
        take(event);
        finish();
      },
      // The system takes back a touch that was a hand. It breaks off a pen when the device is turned or another window comes: that is ink.
      cancel: () => (first.pointerType === "touch" ? this.sheet.paintWet(null) : finish()),
    };
  }

  #erasing(first: PointerEvent): Action {
    let last: [number, number] | null = null;
    const erase = (event: PointerEvent): void => {
      const radius = ERASER / this.sheet.view.zoom;
      for (const part of [...partsOf(event), event]) {
        const place = this.sheet.toPaper(...this.#place(part));
        for (const [x, y] of between(last ?? place, place, radius)) {
          for (const stroke of this.notebook.strokes) {
            if (distanceToStroke(stroke, x, y) <= radius) this.sheet.hidden.add(stroke.id);
          }
        }
        last = place;
      }
      if (last) this.sheet.paintEraser(...last, radius);
      this.sheet.paint();
    };
    const stop = (): string[] => {
      const ids = [...this.sheet.hidden];
      this.sheet.hidden.clear();
      this.sheet.paintWet(null);
      this.sheet.paint();
      return ids;
    };
    return { id: first.pointerId, start: erase, move: erase, end: () => this.notebook.remove(stop()), cancel: stop };
  }

  #panning(first: PointerEvent): Action {
    let last = this.#place(first);
    this.sheet.settled.dataset.grabbing = "";
    const stop = (): void => {
      delete this.sheet.settled.dataset.grabbing;
    };
    return {
      id: first.pointerId,
      start: () => {},
      move: (event) => {
        const [x, y] = this.#place(event);
        this.sheet.pan(x - last[0], y - last[1]);
        last = [x, y];
      },
      end: stop,
      cancel: stop,
    };
  }

  #selecting(first: PointerEvent): Action {
    const start = this.sheet.toPaper(...this.#place(first));
    const box = boundsOf(this.notebook.strokes.filter(({ id }) => this.sheet.selected.has(id)));
    if (box && contains(grown(box, 14 / this.sheet.view.zoom), ...start)) return this.#moving(first, start);
    const path: Point[] = [start];
    const stop = (): void => {
      this.sheet.lasso = null;
      this.sheet.paint();
    };
    return {
      id: first.pointerId,
      start: () => {},
      move: (event) => {
        path.push(this.sheet.toPaper(...this.#place(event)));
        this.sheet.lasso = path;
        this.sheet.paint();
      },
      end: (event) => {
        stop();
        const found = path.length < 4 ? this.#tapped(start) : this.#encircled(path);
        this.select(event.shiftKey ? [...this.sheet.selected, ...found] : found);
      },
      cancel: stop,
    };
  }

  #tapped([x, y]: Point): string[] {
    const stroke = strokeAt(this.notebook.strokes, x, y, 16 / this.sheet.view.zoom);
    if (stroke) this.link.lightStroke(stroke.id);
    return stroke ? [stroke.id] : [];
  }

  #encircled(path: readonly Point[]): string[] {
    return this.notebook.strokes
      .filter(({ points }) => points.filter(([x, y]) => insidePolygon(path, x, y)).length > 0.6 * points.length)
      .map(({ id }) => id);
  }

  #moving(first: PointerEvent, start: readonly [number, number]): Action {
    const stop = (): [number, number] | null => {
      const shift = this.sheet.shift;
      this.sheet.shift = null;
      this.sheet.paint();
      return shift;
    };
    return {
      id: first.pointerId,
      start: () => {},
      move: (event) => {
        const [x, y] = this.sheet.toPaper(...this.#place(event));
        this.sheet.shift = [x - start[0], y - start[1]];
        this.sheet.paint();
      },
      end: () => {
        const shift = stop();
        if (shift) this.moveSelected(...shift);
      },
      cancel: stop,
    };
  }

  moveSelected(dx: number, dy: number): void {
    const ids = this.sheet.selected;
    this.notebook.commit(this.notebook.strokes.map((stroke) => (ids.has(stroke.id) ? moved(stroke, dx, dy) : stroke)));
  }

  // Zoom and pan ---------------------------------------------------------------------------------------------

  #span(): { x: number; y: number; distance: number } {
    const [[ax, ay], [bx, by]] = [...this.#fingers.values()];
    return { x: (ax + bx) / 2, y: (ay + by) / 2, distance: Math.hypot(ax - bx, ay - by) || 1 };
  }

  #pinchMove(before: { x: number; y: number; distance: number }): void {
    const now = this.#span();
    this.sheet.pan(now.x - before.x, now.y - before.y);
    this.sheet.zoomAt(now.distance / before.distance, now.x, now.y);
    this.#pinch = now;
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const [x, y] = this.#place(event);
    const lines = event.deltaMode === 1 ? 16 : 1;
    if (event.ctrlKey || event.metaKey) this.sheet.zoomAt(Math.exp(-event.deltaY * lines * 0.004), x, y);
    else if (event.shiftKey && !event.deltaX) this.sheet.pan(-event.deltaY * lines, 0);
    else this.sheet.pan(-event.deltaX * lines, -event.deltaY * lines);
  }
}

/** The events that a browser put together into one. */
function partsOf(event: PointerEvent): PointerEvent[] {
  const parts = event.getCoalescedEvents?.() ?? [];
  return parts.length ? parts : [event];
}

/** Places on the way from one to another, so that a quick eraser does not jump over a line. */
function between([ax, ay]: Point, [bx, by]: Point, step: number): [number, number][] {
  const count = Math.max(1, Math.ceil(Math.hypot(bx - ax, by - ay) / step));
  return Array.from({ length: count }, (_, i) => [ax + ((bx - ax) * (i + 1)) / count, ay + ((by - ay) * (i + 1)) / count]);
}

const round = (value: number): number => Math.round(value * 100) / 100;
