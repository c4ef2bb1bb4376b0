/** `Runs`: how a workflow has done, its newest executions, and when it runs next. */
import { call } from "../../api/client";
import { hasScope } from "../../app/session";
import { useQuery } from "../../app/use_query";
import { EmptyState } from "../../design/card";
import { formatCount, formatDuration, formatPercent, locatorInWords } from "../../design/format";
import { Status } from "../../design/status";
import { Time } from "../../design/time";
import { findBlock, type Blocks } from "./block_edits";

const SHOWN = 50;

export function Runs({ workflowId, blocks }: { workflowId: string; blocks: Blocks }) {
  const nouns = ["execution"];
  const list = useQuery(`runs ${workflowId}`, () => call("/executions/list", { workflowId, limit: SHOWN }), { nouns });
  const figures = useQuery("figures", () => call("/statistics/get", { days: 1 }), { nouns }).value?.statistics;
  const schedules = useQuery("schedules", () => call("/schedules/list", { limit: 1000 }), { nouns: ["schedule"] });
  const batches = useQuery("batches", () => call("/batches/list", { limit: 1000 }), { nouns: ["batch"] });
  const webhooks = useQuery("webhooks", () => call("/webhooks/list", {}), { nouns: ["webhook"] });
  const heard = (webhooks.value?.webhooks ?? []).filter(
    (one) => one.isActive && one.events.some((event) => event.startsWith("execution.")),
  );
  const keys = useQuery(
    "keys",
    async () => (hasScope("admin") ? (await call("/keys/list", { limit: 1000 })).keys : undefined),
    { nouns: ["key"] },
  );
  const used = (batches.value?.batches ?? []).filter((one) => one.workflow.id === workflowId);
  const own = figures?.workflows.find((one) => one.workflow.id === workflowId);
  const planned = (schedules.value?.schedules ?? []).filter((one) => one.workflow.id === workflowId);
  if (list.problem) return <EmptyState title={list.problem} />;
  if (!list.value) return <p role="status">Loading…</p>;
  const runs = list.value.executions;
  return (
    <div class="stack">
      <dl class="facts">
        <dt>Success rate</dt>
        <dd>
          {formatPercent(own?.successRate)}
          {own && ` (${formatCount(own.completed, "run")} completed, ${own.failed} failed)`}
        </dd>
        <dt>Median duration</dt>
        <dd>{own?.medianDurationMs == null ? "–" : formatDuration(own.medianDurationMs)}</dd>
        <dt>Healed elements</dt>
        <dd>
          <HealedElements workflowId={workflowId} blocks={blocks} />
        </dd>
        <dt>Next runs</dt>
        <dd>
          {planned.length === 0 && <a href={`/schedules?new=${workflowId}`}>No schedule: add one</a>}
          {planned.map((one) => (
            <div key={one.id}>
              <a href="/schedules">{one.name ?? one.description}</a>
              {one.enabled ? ": " : " is off"}
              {one.enabled &&
                one.nextRuns.slice(0, 3).map((iso, at) => (
                  <>
                    {at > 0 && ", "}
                    <Time key={iso} iso={iso} />
                  </>
                ))}
            </div>
          ))}
        </dd>
        <dt>Batches</dt>
        <dd>
          <Links items={used.map((one) => [`/batches/${one.id}`, one.name])} />
        </dd>
        <dt>Webhooks that hear of its runs</dt>
        <dd>
          <Links items={heard.map((one) => ["/webhooks", one.name ?? one.url])} />
        </dd>
        {keys.value && (
          <>
            <dt>API keys that may run it</dt>
            <dd>
              <Links items={keys.value.filter(mayRun).map((one) => ["/settings", one.name ?? "Without a name"])} />
            </dd>
          </>
        )}
        <dt>Agents</dt>
        <dd>
          It is a tool of every agent that is connected to <code>/mcp</code>
          {keys.value?.length ? " with one of these keys. " : ". "}
          <a href="/guide/mcp.html" target="_blank" rel="noreferrer">
            More in the guide
          </a>
        </dd>
      </dl>
      {runs.length === 0 ? (
        <EmptyState title="No runs yet." />
      ) : (
        <>
          <OverTime runs={runs} />
          <ul class="runs" aria-label="Newest runs">
            {runs.slice(0, 10).map((one) => (
              <li key={one.id} class="row">
                <Status value={one.status} />
                <a href={`/executions/${one.id}`}>
                  <Time iso={one.startTime} />
                </a>
                <span class="small muted">{formatDuration(tookMs(one))}</span>
              </li>
            ))}
          </ul>
          <a href={`/executions?workflow=${workflowId}`}>All runs</a>
        </>
      )}
    </div>
  );
}

/** Where the page has changed: what a run finds the element by instead of the block's locator. */
function HealedElements({ workflowId, blocks }: { workflowId: string; blocks: Blocks }) {
  const { value } = useQuery(`healed ${workflowId}`, () => call("/workflows/cache/list", { workflowId, limit: 1000 }), {
    nouns: ["execution", "workflow"],
  });
  const healed = value?.entries.filter((one) => one.kind === "element" && findBlock(blocks, one.blockId)) ?? [];
  if (healed.length === 0) return <>None</>;
  return (
    <>
      <ul class="plain-list" aria-label="Healed elements">
        {healed.slice(0, LINKS).map(({ blockId, plan }, at) => (
          <li key={at}>
            <a href={`/workflows/${workflowId}?block=${encodeURIComponent(blockId)}`}>
              {findBlock(blocks, blockId)!.name}
            </a>
            <span class="small muted">{`: now ${locatorInWords((plan as { locator: object }).locator)}`}</span>
          </li>
        ))}
        {healed.length > LINKS && <li class="small muted">{`and ${healed.length - LINKS} more`}</li>}
      </ul>
      <p class="small muted">
        The page has changed there. A run proposes the new locator where it lasts; the others are found again each time.
      </p>
    </>
  );
}

function mayRun({ scopes }: { scopes: readonly string[] }): boolean {
  return scopes.includes("*") || (scopes.includes("read") && scopes.includes("run"));
}

const LINKS = 5;

function Links({ items }: { items: readonly (readonly [href: string, text: string])[] }) {
  if (items.length === 0) return <>None</>;
  return (
    <>
      {items.slice(0, LINKS).map(([href, text], at) => (
        <>
          {at > 0 && ", "}
          <a href={href}>{text}</a>
        </>
      ))}
      {items.length > LINKS && ` and ${items.length - LINKS} more`}
    </>
  );
}

interface Run {
  readonly id: string;
  readonly status: string;
  readonly startTime: string;
  readonly endTime?: string | null;
}

function tookMs({ startTime, endTime }: Run): number {
  return (endTime ? Date.parse(endTime) : Date.now()) - Date.parse(startTime);
}

/** A bar for each run, oldest first: its colour is the outcome, its height the duration. */
function OverTime({ runs }: { runs: readonly Run[] }) {
  const longest = Math.max(1, ...runs.map(tookMs));
  const completed = runs.filter((one) => one.status === "Completed").length;
  return (
    <div
      class="over-time"
      role="img"
      aria-label={`The newest ${formatCount(runs.length, "run")}, oldest first: ${completed} completed`}
    >
      {[...runs].reverse().map((one) => (
        <span key={one.id} class={one.status} style={{ height: `${Math.max(8, (100 * tookMs(one)) / longest)}%` }} />
      ))}
    </div>
  );
}
