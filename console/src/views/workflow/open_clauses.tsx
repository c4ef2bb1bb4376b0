/** The parts of a description that were not understood: shown where they stand, to be rewritten, picked or left out. */
import { useState } from "preact/hooks";
import { Button } from "../../design/button";
import { TextField } from "../../design/field";
import { formatCount } from "../../design/format";
import { TextWithCode } from "../../design/text_with_code";
import type { ApiBlock } from "./block_edits";

interface OpenClause {
  readonly text: string;
  /** Where it begins, in characters as the service counts them. */
  readonly position: number;
  readonly reason: string;
  readonly suggestions: readonly string[];
}

/** The service's answer to a message of which it understood a part. */
export interface PartlyUnderstood {
  readonly understood: readonly ApiBlock[];
  readonly notUnderstood: readonly OpenClause[];
}

interface Props {
  message: string;
  partly: PartlyUnderstood;
  /** Called with the message in which one part is settled. */
  onSettled: (message: string) => Promise<void>;
}

export function OpenClauses({ message, partly: { understood, notUnderstood }, onSettled }: Props) {
  const places = notUnderstood.map((one) => placeIn(message, one));
  return (
    <section aria-label="Not understood" class="stack">
      <p class="banner warn" role="status">
        {formatCount(notUnderstood.length, "part")} of this {notUnderstood.length === 1 ? "is" : "are"} not understood
        yet. The rest makes {formatCount(understood.length, "block")}; nothing is changed before you apply it.
      </p>
      <p class="described">
        {places.map(([start, end], index) => (
          <>
            {message.slice(places[index - 1]?.[1] ?? 0, start)}
            <mark>{message.slice(start, end)}</mark>
          </>
        ))}
        {message.slice(places.at(-1)?.[1] ?? 0)}
      </p>
      {notUnderstood.map((clause, index) => (
        <Clause
          key={clause.position}
          clause={clause}
          onReplace={(text) => onSettled(replaced(message, places[index]!, text))}
        />
      ))}
    </section>
  );
}

function Clause({ clause, onReplace }: { clause: OpenClause; onReplace: (text: string) => Promise<void> }) {
  const [text, setText] = useState(clause.text);
  return (
    <form
      class="schema-group stack"
      aria-label={`Not understood: ${clause.text}`}
      onSubmit={(event) => {
        event.preventDefault();
        void onReplace(text);
      }}
    >
      <TextField
        label={`“${clause.text}”`}
        help={<TextWithCode text={clause.reason.charAt(0).toUpperCase() + clause.reason.slice(1)} />}
        value={text}
        onInput={setText}
      />
      <div class="row">
        <Button type="submit" disabled={!text.trim() || text === clause.text}>
          Say it like this
        </Button>
        <Button kind="quiet" icon="trash" onPress={() => onReplace("")}>
          Leave it out
        </Button>
      </div>
      {clause.suggestions.length > 0 && (
        <div class="row small">
          <span class="muted">What is understood:</span>
          {clause.suggestions.map((one) => (
            <Button
              key={one}
              kind="quiet"
              title="Write this in its place, then change its words"
              onPress={() => setText(one)}
            >
              {one}
            </Button>
          ))}
        </div>
      )}
    </form>
  );
}

/** Where a clause begins and ends in the message; the service counts characters, strings here have UTF-16 units. */
function placeIn(message: string, { text, position }: OpenClause): readonly [number, number] {
  const counted = [...message].slice(0, position).join("").length;
  const start = message.startsWith(text, counted) ? counted : Math.max(0, message.indexOf(text));
  return [start, start + text.length];
}

/** The message with a clause replaced; one that is left out takes the words along that lead to it, as ", and then". */
function replaced(message: string, [start, end]: readonly [number, number], text: string): string {
  if (text) return message.slice(0, start) + text + message.slice(end);
  const before = message
    .slice(0, start)
    .replace(/(?:[,;\s]+|\b(?:and|then|next|finally|after (?:that|the loop)))*$/i, "");
  const after = message.slice(end).replace(/^\s*[,;.]?\s*(?=$|\S)/, "");
  const isSentenceEnd = before === "" || /[.!?:]$/.test(before);
  const isNewStep = /^(?:and|then)\b/i.test(after);
  return [before, after].filter(Boolean).join(isSentenceEnd || isNewStep ? " " : ". ");
}
