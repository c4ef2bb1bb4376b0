/** A list of differences; used for chat, healing, recovery and versions. */
import { Badge } from "../../design/status";
import type { Difference } from "./diff";

const KIND = { added: "good", removed: "bad", changed: "busy", moved: "idle" } as const;

export function DiffView({ differences }: { differences: readonly Difference[] }) {
  if (differences.length === 0) return <p class="muted">No changes.</p>;
  return (
    <ul class="diff" aria-label="Changes">
      {differences.map((one, index) => (
        <li key={index}>
          <Badge kind={KIND[one.kind]}>{one.kind}</Badge> {one.text}
          {one.details.length > 0 && (
            <ul>
              {one.details.map((line) => (
                <li key={line} class="small">
                  {line}
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}
