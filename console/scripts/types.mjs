// Writes src/api/schema.ts from an OpenAPI document: node scripts/types.mjs FILE
import { readFile, writeFile } from "node:fs/promises";
import openapi, { astToString } from "openapi-typescript";

const [source] = process.argv.slice(2);
if (!source) throw new Error("Usage: node scripts/types.mjs OPENAPI.json (`pagehand openapi` prints one)");
const document = JSON.parse(await readFile(source, "utf8"));
const head = "// Written by scripts/types.mjs from /openapi.json. Do not edit.\n";
await writeFile(
  new URL("../src/api/schema.ts", import.meta.url),
  head + astToString(await openapi(document, { defaultNonNullable: false, emptyObjectsUnknown: true })),
);
