// Bundles the plug-in into built/, the folder that goes to .obsidian/plugins/inktex. `inktex/` here is the unpacked npm package.
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, target: "es2022", charset: "utf8", minify: true, logLevel: "warning" };

mkdirSync("built", { recursive: true });
await build({
  ...common,
  entryPoints: ["src/main.ts"],
  outfile: "built/main.js",
  format: "cjs",
  external: ["obsidian"],
  alias: { "inktex/pad": "./inktex/dist/pad.js" },
  define: { "import.meta.url": '""' }, // a plug-in has no address: worker and WebAssembly are given by hand
  plugins: [{
    name: "worker as text",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^inktex\/worker$/ }, () => ({ path: "inktex/dist/worker.js", namespace: "text" }));
      onLoad({ filter: /./, namespace: "text" }, async ({ path }) => ({
        contents: await (await import("node:fs/promises")).readFile(path, "utf8"),
        loader: "text",
      }));
    },
  }],
});
for (const name of ["manifest.json", "styles.css", "model.inktex"]) if (existsSync(name)) copyFileSync(name, `built/${name}`);
copyFileSync("inktex/dist/ort-wasm-simd-threaded.wasm", "built/ort-wasm-simd-threaded.wasm");
