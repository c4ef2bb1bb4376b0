/** The live page beside the editor: what blocks do there, what they put out, and pointing at elements. */
import { Button } from "../../design/button";
import { Card } from "../../design/card";
import { JsonView } from "../../design/json";
import { LiveScreen } from "../../live/screen";
import { labelOf, type LiveSession, type Part, type Picked } from "./live_session";

interface Props {
  session: LiveSession;
  /** Take a locator into the chosen block. */
  onLocator: (locator: Record<string, unknown>) => void;
}

export function LivePanel({ session, onLocator }: Props) {
  const isPicking = session.isPicking.value;
  const pointed = session.pointedAt.value;
  const pointing = isPicking
    ? {
        box: pointed?.box,
        label: pointed?.label ?? "",
        onMove: (x: number, y: number) => void (session.picked.value ?? session.lookAt(x, y)),
        onPoint: (x: number, y: number) => void session.pick(x, y),
      }
    : undefined;
  return (
    <Card title="Live session" actions={<Actions session={session} />}>
      <div class="stack">
        {session.url.value ? <LiveScreen url={session.url.value} pointing={pointing} /> : <p role="status">A browser is being opened…</p>}
        {isPicking && !session.picked.value && <p class="banner small">Point at the element on the page. Escape leaves it.</p>}
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
        {isGood ? "It went well." : part.errorAnalysis}
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
