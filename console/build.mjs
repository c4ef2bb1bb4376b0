// Bundles the console into pagehand/api/console/bundle: hashed files under assets/, and the pages that load them.
// Usage: node build.mjs [--watch] [--out DIR]
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const outAt = process.argv.indexOf("--out");
const out = path.resolve(outAt > 0 ? process.argv[outAt + 1] : path.join(here, "../pagehand/api/console/bundle"));
const isWatching = process.argv.includes("--watch");

/** The entry of each page. */
const PAGES = { "index.html": "src/main.tsx", "live_view.html": "src/live_view.tsx" };

/** Writes the pages, with the names of this build's files and of the chunks that the first load needs. */
const pages = {
  name: "pages",
  setup(build) {
    build.onEnd(async ({ metafile, errors }) => {
      if (errors.length || !metafile) return;
      const output = (entryPoint) =>
        Object.entries(metafile.outputs).find(([, file]) => file.entryPoint === entryPoint)[0];
      const name = (file) => `/console/assets/${path.basename(file)}`;
      const style = `<link rel="stylesheet" href="${name(output("src/style.css"))}">`;
      for (const [page, entryPoint] of Object.entries(PAGES)) {
        const script = output(entryPoint);
        const preloads = staticImports(metafile, script).map(
          (file) => `<link rel="modulepreload" href="${name(file)}">`,
        );
        const html = (await readFile(path.join(here, "src", page), "utf8"))
          .replace("<!--style-->", style)
          .replace(
            "<!--script-->",
            [...preloads, `<script type="module" src="${name(script)}"></script>`].join("\n    "),
          );
        await writeFile(path.join(out, page), html);
      }
      await writeFile(path.join(out, "NOTICES.txt"), await notices(metafile));
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

/** The licences of the packages whose code is in the bundle. */
async function notices(metafile) {
  const names = Object.keys(metafile.inputs).flatMap(
    (file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? [],
  );
  const texts = [...new Set(names)].sort().map(async (name) => {
    const folder = path.join(here, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file, which the notices need`);
    return `${name} ${version} (${license})\n\n${await readFile(path.join(folder, file), "utf8")}`;
  });
  return (await Promise.all(texts)).join(`\n\n${"-".repeat(80)}\n\n`);
}

await rm(out, { recursive: true, force: true });
await mkdir(path.join(out, "assets"), { recursive: true });
const options = {
  absWorkingDir: here,
  entryPoints: [...Object.values(PAGES), "src/style.css"],
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
  plugins: [pages],
  logLevel: isWatching ? "info" : "warning",
};
if (isWatching) {
  await (await esbuild.context(options)).watch();
} else {
  await esbuild.build(options);
}
