// Builds the package into dist/: `node build.mjs` (and build/test/ with --tests). Scripts by esbuild, types by tsc.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const at = (...parts) => join(here, ...parts);
const tests = process.argv.includes("--tests");

const common = {
  absWorkingDir: here,
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  logLevel: "warning",
  legalComments: "none",
  loader: { ".css": "text" },
};

if (tests) {
  rmSync(at("build"), { recursive: true, force: true });
  const entries = readdirSync(at("test"), { recursive: true }).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...common,
    entryPoints: entries.map((name) => at("test", name)),
    outdir: at("build/test"),
    outExtension: { ".js": ".mjs" },
    platform: "node",
    external: ["onnxruntime-web"],
    sourcemap: "inline",
  });
} else {
  rmSync(at("dist"), { recursive: true, force: true });
  mkdirSync(at("dist"), { recursive: true });
  await build({
    ...common,
    entryPoints: {
      index: at("src/recognizer/index.ts"),
      worker: at("src/recognizer/worker.ts"),
      pad: at("src/pad/index.ts"),
    },
    outdir: at("dist"),
    minify: true,
    platform: "browser",
  });
  copyFileSync(
    at("node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm"),
    at("dist/ort-wasm-simd-threaded.wasm"),
  );
  copyFileSync(at("../LICENSE"), at("LICENSE"));
  execFileSync(process.execPath, [at("node_modules/typescript/bin/tsc"), "-p", at("tsconfig.types.json")], {
    stdio: "inherit",
  });
}
