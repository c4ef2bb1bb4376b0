/** Why an element was taken for the one that the locator no longer finds, or why none was. */
import { formatPercent, labelOf, locatorInWords } from "../../design/format";
import type { Healing } from "./steps";

const MIN_WEIGHT = 0.05;
/** What the names of features begin with, in words. */
const FEATURES: readonly (readonly [string, string])[] = [
  ["name", "its name"],
  ["address", "where it leads"],
  ["path", "where it leads"],
  ["id", "its id"],
  ["class", "its style classes"],
  ["attribute", "its attributes"],
  ["field", "the kind of field"],
  ["row", "the words in its row"],
  ["near", "the words near it"],
  ["far", "the words around it"],
  ["before", "the words before it"],
  ["after", "the words after it"],
  ["ancestors", "where it stands in the page"],
  ["icon", "its picture"],
  ["image", "its picture"],
  ["landmark", "the part of the page"],
  ["heading", "the heading above it"],
  ["hint", "its description"],
  ["tag", "its kind"],
  ["role", "its kind"],
];

export function Healed({ healing }: { healing: Healing }) {
  const { p1, p2, by, refused } = healing;
  return (
    <dl class="facts small" aria-label="Healing">
      {healing.old && (
        <>
          <dt>Looked for</dt>
          <dd>{locatorInWords(healing.old)}</dd>
        </>
      )}
      <dt>{refused ? "Not used" : "Found instead"}</dt>
      <dd>{refused ?? locatorInWords(healing.new ?? {})}</dd>
      <dt>Why</dt>
      <dd>{by === "model" ? "A language model pointed at it." : reasons(healing.features)}</dd>
      {p1 !== undefined && (
        <>
          <dt>How sure</dt>
          <dd>
            {formatPercent(p1)}
            {p2 !== undefined && <span class="muted">{`; the next likely element: ${formatPercent(p2)}`}</span>}
          </dd>
        </>
      )}
    </dl>
  );
}

/** "The same as before: its name, where it leads." */
function reasons(features: Healing["features"] = {}): string {
  const seen = Object.entries(features)
    .filter(([, weight]) => weight > MIN_WEIGHT)
    .sort(([, one], [, other]) => other - one)
    .map(([name]) => FEATURES.find(([start]) => name.startsWith(start))?.[1] ?? labelOf(name).toLowerCase());
  return seen.length ? `As before: ${[...new Set(seen)].join(", ")}.` : "It is most like the one before.";
}
