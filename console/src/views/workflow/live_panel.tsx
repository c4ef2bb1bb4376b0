/** The live session beside the editor: its page, the element picker, the recorder, and the result of the last run. */
import { useState } from "preact/hooks";
import { hasScope } from "../../app/session";
import { Button } from "../../design/button";
import { Card } from "../../design/card";
import { TextField } from "../../design/field";
import { inWordsOfTheForm } from "../../design/format";
import { JsonView } from "../../design/json";
import { notify } from "../../design/notice";
import { TextWithCode } from "../../design/text_with_code";
import { LiveScreen } from "../../live/screen";
import type { ApiBlock } from "./block_edits";
import type { Check } from "./editor_actions";
import { elementLabel, type LiveSession, type Locator, type Part, type Picked } from "./live_session";

interface Props {
  session: LiveSession;
  /** Called with the extraction block for what the user pointed at. */
  onExtract: (block: ApiBlock) => void;
  /** Open a URL, and add the block that does it. */
  onOpen: (url: string) => Promise<void>;
  /** Called with the chosen locator. */
  onLocator: (locator: Locator) => void;
  /** Called with what must be there. */
  onCheck: (locator: Locator, check: Check) => void;
  /** Go through the rows of the table that was read; undefined where none is selected. */
  onForEachRow: (() => void) | undefined;
  onParametrize: () => void;
}

export function LivePanel({ session, onLocator, onExtract, onOpen, onCheck, onForEachRow, onParametrize }: Props) {
  const isPicking = session.isPicking.value;
  const isExtracting = session.isExtracting.value;
  const pointed = session.pointedAt.value;
  const extract = async (x: number, y: number) => {
    const block = await session.extractAt(x, y);
    session.isExtracting.value = false;
    session.pointedAt.value = undefined;
    if (block) onExtract(block);
  };
  const pointing =
    isPicking || isExtracting
      ? {
          box: pointed?.box,
          label: pointed?.label ?? "",
          onMove: (x: number, y: number) => void (session.picked.value ?? session.highlightAt(x, y)),
          onPoint: (x: number, y: number) => void (isPicking ? session.pick(x, y) : extract(x, y)),
        }
      : undefined;
  return (
    <Card title="Live session" actions={<Actions session={session} />}>
      <div class="stack">
        {session.isRecording.value && (
          <RecordingBar session={session} onOpen={onOpen} onForEachRow={onForEachRow} onParametrize={onParametrize} />
        )}
        {session.url.value ? (
          <LiveScreen
            url={session.url.value}
            pointing={pointing}
            // also to scroll to what is picked
            wantsControl={(session.isRecording.value || isPicking) && session.running.value === ""}
          />
        ) : (
          <p role="status">Opening a browser…</p>
        )}
        {isPicking && !session.picked.value && (
          <p class="banner small">
            Click the element on the page, or move the crosshair with the arrow keys and press Enter. The wheel and Page
            Down scroll the page. Escape stops picking.
          </p>
        )}
        {session.picked.value && session.isChecking.value && (
          <CheckList
            picked={session.picked.value}
            onChoose={(locator, check) => {
              onCheck(locator, check);
              session.stopPicking();
            }}
          />
        )}
        {session.picked.value && !session.isChecking.value && (
          <PickList
            picked={session.picked.value}
            onChoose={(locator) => {
              onLocator(locator);
              session.stopPicking();
            }}
            onPickAnother={() => session.startPicking()}
          />
        )}
        {session.part.value && <RunReport part={session.part.value} onUse={onLocator} />}
      </div>
    </Card>
  );
}

function Actions({ session }: { session: LiveSession }) {
  const running = session.running.value;
  return (
    <>
      {running && <span class="small muted">{running}</span>}
      {running && (
        <Button icon="stop" onPress={() => session.stop()}>
          Stop
        </Button>
      )}
      {session.isPicking.value && <Button onPress={() => session.stopPicking()}>Stop picking</Button>}
      <Button kind="quiet" icon="close" onPress={() => session.close()}>
        Close the session
      </Button>
    </>
  );
}

/** The recorder's controls: open a URL, extract, stop. */
function RecordingBar({
  session,
  onOpen,
  onForEachRow,
  onParametrize,
}: Pick<Props, "session" | "onOpen" | "onForEachRow" | "onParametrize">) {
  const [url, setUrl] = useState("");
  const isExtracting = session.isExtracting.value;
  return (
    <section aria-label="Recorder" class="recorder">
      <p class="small" role="status">
        {isExtracting
          ? "Click the table or the text to extract."
          : "Recording: what you do on the page becomes blocks. Passwords become references to the login."}
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (url) void onOpen(url);
        }}
      >
        <TextField label="Address" hideLabel placeholder="example.com, 127.0.0.1:8731 …" value={url} onInput={setUrl} />
        <Button type="submit">Go</Button>
      </form>
      <div class="row">
        <Button
          icon="pick"
          title="Point at a table or a text: a block reads it"
          pressed={isExtracting}
          onPress={() => (session.isExtracting.value = !isExtracting)}
        >
          Extract
        </Button>
        {onForEachRow && (
          <Button icon="plus" title="A loop over the rows of the table that was read" onPress={onForEachRow}>
            For each row
          </Button>
        )}
        <Button
          icon="check"
          title="Point at what must be there: the run fails if it is not"
          pressed={session.isChecking.value}
          onPress={() => (session.isChecking.value ? session.stopPicking() : session.startChecking())}
        >
          Check
        </Button>
        <Button title="What you typed and chose can then be given for each run" onPress={onParametrize}>
          Make parameters
        </Button>
        <Button kind="danger" icon="stop" onPress={() => session.stopRecording()}>
          Stop recording
        </Button>
      </div>
    </section>
  );
}

/** What can be checked of the element that was pointed at. */
function CheckList({ picked, onChoose }: { picked: Picked; onChoose: Props["onCheck"] }) {
  const locator = picked.locators[0]?.locator;
  const label = elementLabel(picked);
  const choices: readonly Check[] = [
    { state: "visible", text: `${label} is there`, name: `${label} is there` },
    ...valueChecks(picked, label),
  ];
  return (
    <section aria-label="Checks" class="picks">
      {!locator && <p class="muted">No locator matches only this element. Point at one inside or around it.</p>}
      <ul aria-label="What to check">
        {locator &&
          choices.map((one) => (
            <li key={one.state}>
              <button type="button" class="pick" onClick={() => onChoose(locator, one)}>
                {one.text}
              </button>
            </li>
          ))}
      </ul>
    </section>
  );
}

/** What its text or its value says now. */
function valueChecks({ tag, role, name, value }: Picked, label: string): readonly Check[] {
  if (value === null)
    return ["input", "select", "textarea"].includes(tag) || !name
      ? []
      : [{ state: "textContains", text: `It says “${name}”`, name: `the text “${name}”`, value: name }];
  if (tag === "input" && ["checkbox", "radio", "switch"].includes(role)) {
    const isOn = value === "true";
    const text = isOn ? "is ticked" : "is not ticked";
    return [{ state: isOn ? "checked" : "unchecked", text: `It ${text}`, name: `${label} ${text}` }];
  }
  const quoted = value === "" ? "nothing" : `“${value}”`;
  if (tag === "select" && value === "") return [];
  if (tag === "select")
    return [{ state: "textContains", text: `${quoted} is chosen`, name: `${quoted} in ${label}`, value }];
  return [{ state: "valueEquals", text: `Its value is ${quoted}`, name: `${label} has ${quoted}`, value }];
}

function PickList({
  picked,
  onChoose,
  onPickAnother,
}: {
  picked: Picked;
  onChoose: (locator: Locator) => void;
  onPickAnother: () => void;
}) {
  return (
    <section aria-label="Locators" class="picks">
      <div class="row">
        <strong class="clip">{elementLabel(picked)}</strong>
        <Button kind="quiet" onPress={onPickAnother}>
          Pick another
        </Button>
      </div>
      {picked.locators.length === 0 && (
        <p class="muted">No locator matches only this element. Pick an element inside or around it.</p>
      )}
      <ul aria-label="Ranked locators">
        {picked.locators.map((one) => (
          <li key={JSON.stringify(one.locator)}>
            <button type="button" class="pick" onClick={() => onChoose(one.locator)}>
              <span class="mono">{formatLocator(one.locator)}</span>
              <span class={one.matches === 1 ? "small pick-alone" : "small pick-several"}>
                {one.matches === 1 ? "1 match" : `${one.matches} matches`}
              </span>
              <span class="small muted">{one.reason}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function formatLocator(locator: Locator): string {
  return Object.entries(locator)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
}

/** The elements that a failed run names as nearest to what its block looked for, or as those it could mean. */
function nearestOf(analysis: string): readonly (readonly [role: string, text: string])[] {
  const listed = /^Found: (?:nearest(?: on \S+)?|\d+ that fit): (.*)$/m.exec(analysis)?.[1] ?? "";
  return [...listed.matchAll(/\b(?!in )([a-z]+) `([^`]+)`/g)].map((one) => [one[1]!, one[2]!] as const);
}

function RunReport({ part, onUse }: { part: Part; onUse: Props["onLocator"] }) {
  const isGood = part.status === "Completed";
  const use = (role: string, text: string) => {
    onUse({ role, text });
    notify(`The block now looks for the ${role} “${text}”.`);
  };
  return (
    <section aria-label="Outcome" class="stack">
      {!isGood && hasScope("edit") && (
        <div class="row">
          {nearestOf(part.errorAnalysis).map(([role, text]) => (
            <Button key={role + text} title={`The block then looks for this ${role}`} onPress={() => use(role, text)}>
              {`Use “${text}”`}
            </Button>
          ))}
        </div>
      )}
      <p class={isGood ? "banner good" : "banner bad"} role="status">
        <TextWithCode isLinked text={isGood ? "Completed without errors." : inWordsOfTheForm(part.errorAnalysis)} />
      </p>
      {Object.keys(part.outputs).length > 0 && (
        <details open={isGood}>
          <summary>Block outputs</summary>
          <JsonView value={part.outputs} />
        </details>
      )}
    </section>
  );
}
