// Bundles the console into pagehand/api/console/bundle: hashed files under assets/, and the page that loads them.
// Usage: node build.mjs [--watch] [--out DIR]
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const outAt = process.argv.indexOf("--out");
const out = path.resolve(outAt > 0 ? process.argv[outAt + 1] : path.join(here, "../pagehand/api/console/bundle"));
const isWatching = process.argv.includes("--watch");

/** Writes index.html with the names of this build's files, and tells which chunks the first load needs. */
const page = {
  name: "page",
  setup(build) {
    build.onEnd(async ({ metafile, errors }) => {
      if (errors.length || !metafile) return;
      const entry = Object.entries(metafile.outputs).find(([, one]) => one.entryPoint === "src/main.tsx");
      if (!entry) throw new Error("esbuild wrote no entry for src/main.tsx");
      const [script] = entry;
      const [style] = Object.entries(metafile.outputs).find(([, one]) => one.entryPoint === "src/style.css") ?? [];
      const name = (file) => `/console/assets/${path.basename(file)}`;
      const preloads = staticImports(metafile, script).map((file) => `<link rel="modulepreload" href="${name(file)}">`);
      const html = (await readFile(path.join(here, "src/index.html"), "utf8"))
        .replace("<!--style-->", `<link rel="stylesheet" href="${name(style)}">`)
        .replace("<!--script-->", [...preloads, `<script type="module" src="${name(script)}"></script>`].join("\n    "));
      await writeFile(path.join(out, "index.html"), html);
    });
  },
};

/** The chunks that are fetched before the entry can run. */
function staticImports(metafile, file, seen = new Set()) {
  for (const one of metafile.outputs[file]?.imports ?? []) {
    if (one.kind === "import-statement" && !seen.has(one.path)) {
      seen.add(one.path);
      staticImports(metafile, one.path, seen);
    }
  }
  return [...seen];
}

await rm(out, { recursive: true, force: true });
await mkdir(path.join(out, "assets"), { recursive: true });
const options = {
  absWorkingDir: here,
  entryPoints: ["src/main.tsx", "src/style.css"],
  outdir: path.join(out, "assets"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: !isWatching,
  sourcemap: isWatching ? "linked" : false,
  legalComments: "eof",
  metafile: true,
  plugins: [page],
  logLevel: isWatching ? "info" : "warning",
};
if (isWatching) {
  await (await esbuild.context(options)).watch();
} else {
  await esbuild.build(options);
}
