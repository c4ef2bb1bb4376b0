/** What the draft and a newer version both changed, side by side; both are kept until the person chooses. */
import { Button } from "../../design/button";
import type { Draft } from "./draft";

export function Conflicts({ draft }: { draft: Draft }) {
  const { theirs } = draft;
  const conflicts = draft.conflicts.value;
  if (!theirs.value || conflicts.length === 0) return null;
  const newer = `version ${theirs.value.version}`;
  return (
    <section class="banner conflicts" aria-label="Conflicts">
      <p role="alert">
        Version {theirs.value.version} was saved elsewhere and changes the same as you did. Both are kept: choose for
        each. Everything else is merged then.
      </p>
      {conflicts.length > 1 && (
        <div class="row">
          <Button onPress={() => conflicts.forEach((one) => draft.keepMine(one))}>Keep all of mine</Button>
          <Button onPress={() => conflicts.forEach((one) => draft.takeTheirs(one))}>{`Take all of ${newer}`}</Button>
        </div>
      )}
      <ul>
        {conflicts.map((one) => (
          <li key={`${one.item} ${one.path.join(".")}`}>
            <strong>{one.title}</strong>
            <div class="conflict-sides">
              <div>
                <p class="small muted">Mine</p>
                <Side value={one.mine} />
                <Button onPress={() => draft.keepMine(one)}>Keep mine</Button>
              </div>
              <div>
                <p class="small muted">{`Version ${theirs.value!.version}`}</p>
                <Side value={one.theirs} />
                <Button onPress={() => draft.takeTheirs(one)}>{`Take ${newer}`}</Button>
              </div>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Side({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <p class="muted">Removed</p>;
  return (
    <p class="mono conflict-text">
      {(typeof value === "object" ? JSON.stringify(value, null, 2) : String(value)) || "Empty"}
    </p>
  );
}
