/** What tests share: the repository's files, and the runtime as Node loads it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as ort from "onnxruntime-web/wasm";
import type { Recognition, Stroke } from "../src/recognizer/types";

const web = process.cwd(); // npm runs tests there
const repository = join(web, "..");

export interface Vectors {
  model: string;
  sha256: string;
  vocabulary: string[];
  sessions: Written[];
  guesses: Guessed[];
  walks: { tokens: number[]; closing: number; allowed: string; within: string[] }[];
  printed: { latex: string; error?: string; tokens?: string[]; mathml?: string; marked?: string; typst?: string }[];
  cases: {
    name: string;
    strokes: Stroke[];
    features?: Record<string, { rows: number[][]; stroke: number[] }>;
    answer: Recognition;
  }[];
  both_ways: { model: string; sha256: string; answers: { case: number; answer: Recognition }[]; sessions: Written[]; guesses: Guessed[] };
  twin: { sha256: string; answers: { case: number; answer: Recognition }[] };
}

/** A drawing, and the likeliest symbols with their probabilities. */
export interface Guessed {
  strokes: Stroke[];
  symbols: [string, number][];
}

/** A session: what is done, and what the answer says then. */
export interface Written {
  strokes: Stroke[];
  steps: [string, ...unknown[]][];
  answers: [string, number[][]][];
}

export function vectors(): Vectors {
  return JSON.parse(readFileSync(join(repository, "tests/vectors/recognition.json"), "utf8"));
}

export interface Printed {
  tokens: string[];
  style?: string;
  latex: string;
}

export function latexVectors(): { expressions: Printed[]; styles: Printed[]; lines: (Printed & { lines: string[][]; environment: "aligned" | "cases" })[] } {
  return JSON.parse(readFileSync(join(repository, "tests/vectors/latex.json"), "utf8"));
}

export interface LineVectors {
  pages: {
    name: string;
    strokes: Stroke[];
    lines: number[][];
    evidence: { bars: [stroke: number, first: number, last: number, passed: boolean, features: number[]][]; cuts: [place: number, features: number[]][] };
  }[];
  answers: { page: number; answer: Recognition }[];
  sessions: { steps: [string, number, Stroke?][]; lines: [number, number[]][][] }[];
}

export function lineVectors(): LineVectors {
  return JSON.parse(readFileSync(join(repository, "tests/vectors/lines.json"), "utf8"));
}

export interface SymbolVectors {
  vocabulary: string[];
  restrictions: { symbols: string | string[]; permitted?: string; error?: string }[];
  answers: { case: number; symbols: string; latex: string; pinned: string }[];
}

export function symbolVectors(): SymbolVectors {
  return JSON.parse(readFileSync(join(repository, "tests/vectors/symbols.json"), "utf8"));
}

/** A model file by its name, as Python finds it. */
export function modelBytes(name: string): Uint8Array {
  const path = ["tests/vectors", "src/inktex/weights", "models"].map((folder) => join(repository, folder, `${name}.inktex`)).find(existsSync);
  if (!path) throw new Error(`there is no model file ${name}.inktex`);
  return new Uint8Array(readFileSync(path));
}

export function useRuntime(): void {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = readFileSync(join(web, "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm")) as unknown as ArrayBuffer;
}
