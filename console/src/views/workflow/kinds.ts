/** The block kinds of this installation, as the service describes them. */
import type { Schemas } from "../../api/client";
import { labelOf } from "../../design/format";
import type { Models } from "../../forms/schema";
import type { Block } from "./block_edits";
import { valuesOf } from "./block_tree";

export interface Kind extends Readonly<Schemas["Kind"]> {
  /** One of its blocks in a line; empty if the service gives none. */
  readonly example: string;
}

export class Kinds {
  readonly all: readonly Kind[];
  private readonly byType: ReadonlyMap<string, Kind>;

  constructor(
    kinds: readonly Schemas["Kind"][],
    readonly models: Models,
  ) {
    this.all = kinds.map((one) => ({ ...one, title: plainTitle(one.title), example: exampleOf(one) }));
    this.byType = new Map(this.all.map((one) => [one.type, one]));
  }

  get(type: string): Kind | undefined {
    return this.byType.get(type);
  }

  /** The kind that opens a URL, found by its alias. */
  get opener(): Kind | undefined {
    return this.all.find((one) => one.aliases.includes("openUrl"));
  }

  /** The kind that goes through the rows of a list. */
  get loop(): Kind | undefined {
    return this.all.find((one) => one.aliases.includes("forEach"));
  }

  /** The kind that waits until something is so, and fails if it does not become so. */
  get check(): Kind | undefined {
    return this.all.find((one) => one.aliases.includes("waitUntil"));
  }

  /** The kinds that match a search text, best first: by name, alias, then purpose. */
  search(text: string): readonly Kind[] {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return this.all;
    const scored = this.all.map((kind) => ({ kind, score: Math.min(...words.map((word) => scoreOf(kind, word))) }));
    return scored
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score || one.kind.title.localeCompare(other.kind.title))
      .map(({ kind }) => kind);
  }
}

/** A kind's name as people say it: "Save As PDF Block" → "Save as PDF", "CodeV2" → "Code". */
function plainTitle(title: string): string {
  return labelOf(title.replace(/ Block$|V\d+$/, ""));
}

/** The first example in a line; one inside a loop is not the kind's own. */
function exampleOf(kind: Schemas["Kind"]): string {
  const example = (kind.examples as Partial<Block>[]).find((one) => one.type === kind.type);
  return example ? valuesOf({ locator: null, data: {}, ...example }, kind) : "";
}

function scoreOf(kind: Kind, word: string): number {
  const names = [kind.title, kind.type, kind.label].map((one) => one.toLowerCase());
  if (names.some((one) => one.startsWith(word))) return 5;
  if (kind.aliases.some((one) => one.toLowerCase().startsWith(word))) return 4;
  if (names.some((one) => one.includes(word))) return 3;
  if (kind.purpose.toLowerCase().includes(word)) return 2;
  return kind.description.toLowerCase().includes(word) ? 1 : 0;
}
