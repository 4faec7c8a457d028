// Bundles the page into built/, with the fonts that Excalidraw would otherwise load from another host.
import { cpSync } from "node:fs";
import { build } from "esbuild";

await build({
  entryPoints: ["src/main.jsx"],
  outdir: "built",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  jsx: "automatic",
  conditions: ["production"],
  define: { "process.env.NODE_ENV": '"production"' },
  loader: { ".woff2": "file" },
  // inktex finds its worker and WebAssembly beside itself, so it stays as it is. Mermaid is not installed (see package.json).
  external: ["../inktex/*", "@excalidraw/mermaid-to-excalidraw"],
  logLevel: "warning",
});
cpSync("node_modules/@excalidraw/excalidraw/dist/prod/fonts", "built/fonts", {
  recursive: true,
  filter: (name) => !name.includes("Xiaolai"), // Chinese, 10 MB
});
