/** The live page beside the editor: what blocks do there, what they put out, and pointing at elements. */
import { useState } from "preact/hooks";
import { Button } from "../../design/button";
import { Card } from "../../design/card";
import { TextField } from "../../design/field";
import { JsonView } from "../../design/json";
import { Prose } from "../../design/prose";
import { LiveScreen } from "../../live/screen";
import { labelOf, type LiveSession, type Part, type Picked } from "./live_session";

interface Props {
  session: LiveSession;
  /** Take a block that was made by pointing. */
  onRead: (block: Record<string, unknown>) => void;
  /** Open an address, as a block. */
  onOpen: (url: string) => Promise<void>;
  /** Take a locator into the chosen block. */
  onLocator: (locator: Record<string, unknown>) => void;
}

export function LivePanel({ session, onLocator, onRead, onOpen }: Props) {
  const isPicking = session.isPicking.value;
  const isReading = session.isReading.value;
  const pointed = session.pointedAt.value;
  const read = async (x: number, y: number) => {
    const block = await session.readAt(x, y);
    session.isReading.value = false;
    session.pointedAt.value = undefined;
    if (block) onRead(block);
  };
  const pointing =
    isPicking || isReading
      ? {
          box: pointed?.box,
          label: pointed?.label ?? "",
          onMove: (x: number, y: number) => void (session.picked.value ?? session.lookAt(x, y)),
          onPoint: (x: number, y: number) => void (isPicking ? session.pick(x, y) : read(x, y)),
        }
      : undefined;
  return (
    <Card title="Live session" actions={<Actions session={session} />}>
      <div class="stack">
        {session.url.value ? <LiveScreen url={session.url.value} pointing={pointing} wantsControl={session.isRecording.value && session.running.value === ""} /> : <p role="status">A browser is being opened…</p>}
        {session.isRecording.value && <RecordingBar session={session} onOpen={onOpen} />}
        {isPicking && !session.picked.value && <p class="banner small">Point at the element on the page, or move the cross with the arrow keys and press Enter. Escape leaves it.</p>}
        {session.picked.value && (
          <PickList
            picked={session.picked.value}
            onTake={(locator) => {
              onLocator(locator);
              session.stopPicking();
            }}
            onAgain={() => session.startPicking()}
          />
        )}
        {session.part.value && <PartReport part={session.part.value} />}
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

/** While recording: where to go, what to read, and the end. */
function RecordingBar({ session, onOpen }: { session: LiveSession; onOpen: (url: string) => Promise<void> }) {
  const [url, setUrl] = useState("");
  const isReading = session.isReading.value;
  return (
    <section aria-label="Recorder" class="recorder">
      <p class="small" role="status">
        {isReading ? "Point at the table or the text to read." : "Recording: what you do on the page becomes blocks. Passwords become references to the login."}
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (url) void onOpen(url);
        }}
      >
        <TextField label="Address" hideLabel placeholder="https://…" value={url} onInput={setUrl} />
        <Button type="submit">Go</Button>
        <Button icon="pick" pressed={isReading} onPress={() => (session.isReading.value = !isReading)}>
          Extract
        </Button>
        <Button kind="danger" icon="stop" onPress={() => session.stopRecording()}>
          Stop recording
        </Button>
      </form>
    </section>
  );
}

function PickList({ picked, onTake, onAgain }: { picked: Picked; onTake: (locator: Record<string, unknown>) => void; onAgain: () => void }) {
  return (
    <section aria-label="Locators" class="picks">
      <div class="row">
        <strong class="clip">{labelOf(picked)}</strong>
        <Button kind="quiet" onPress={onAgain}>
          Pick another
        </Button>
      </div>
      {picked.locators.length === 0 && <p class="muted">Nothing leads to this element alone. Point at one inside or around it.</p>}
      <ul aria-label="Ranked locators">
        {picked.locators.map((one) => (
          <li key={JSON.stringify(one.locator)}>
            <button type="button" class="pick" onClick={() => onTake(one.locator as Record<string, unknown>)}>
              <span class="mono">{inWords(one.locator as Record<string, string>)}</span>
              <span class={one.matches === 1 ? "small pick-alone" : "small pick-several"}>{one.matches === 1 ? "1 match" : `${one.matches} matches`}</span>
              <span class="small muted">{one.reason}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function inWords(locator: Record<string, string>): string {
  return Object.entries(locator)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
}

function PartReport({ part }: { part: Part }) {
  const isGood = part.status === "Completed";
  return (
    <section aria-label="Outcome" class="stack">
      <p class={isGood ? "banner good" : "banner bad"} role="status">
        <Prose text={isGood ? "It went well." : part.errorAnalysis} />
      </p>
      {Object.keys(part.outputs).length > 0 && (
        <details open={isGood}>
          <summary>What the blocks have put out</summary>
          <JsonView value={part.outputs} />
        </details>
      )}
    </section>
  );
}
