/** The ink of a pad: strokes with ids, as they are painted, kept and sent. */

/** x, y (pointing down), milliseconds, pressure 0 to 1. */
export type Point = readonly number[];

/** One line of the pen. Strokes never change; a changed one is a new object. */
export interface Stroke {
  readonly id: string;
  readonly points: readonly Point[];
  /** Name of a pen colour; the colour of ink where there is none. */
  readonly colour?: string;
  /** Times the usual width. */
  readonly width?: number;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
  width: number;
  height: number;
}

let lastNumber = 0;

/** A name for a new stroke, unique in this tab. */
export const newId = (): string => `s${Date.now().toString(36)}${(lastNumber++).toString(36)}`;
