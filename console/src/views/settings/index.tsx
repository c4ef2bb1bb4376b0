/** The organization with its proxy, its keys, what it spends on the model, and the installation. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { useReading } from "../../app/reading";
import { may } from "../../app/session";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { TextField } from "../../design/field";
import { notify } from "../../design/notice";
import { Keys } from "./keys";
import { ModelUsage } from "./model_usage";

export default function Settings() {
  return (
    <>
      <div class="view-head">
        <h1>Settings</h1>
      </div>
      <div class="stack">
        <Organization />
        {may("admin") && <Keys />}
        <ModelUsage />
        {may("admin") && <Installation />}
      </div>
    </>
  );
}

function Organization() {
  const { value, problem, again } = useReading("organization", () => call("/organization/get", {}), { nouns: ["organization"] });
  const [proxy, setProxy] = useState("");
  if (problem) return <Empty title={problem} />;
  const save = async () => {
    await call("/organization/update", { proxy });
    setProxy("");
    notify("Saved.");
    again();
  };
  return (
    <Card title="Organization">
      <dl class="facts">
        <dt>Name</dt>
        <dd>{value?.organization.name}</dd>
        <dt>Proxy</dt>
        <dd class="clip">{value?.organization.proxy ?? "None"}</dd>
      </dl>
      {may("admin") && <form class="row code-form" onSubmit={(event) => event.preventDefault()}>
        <TextField label="New proxy" placeholder="http://user:password@host:port" value={proxy} onInput={setProxy} help="For executions with useProxy; saving an empty one takes it away." />
        <Button type="submit" onPress={save}>
          Save
        </Button>
      </form>}
    </Card>
  );
}

/** What the operator set, and what `pagehand doctor` says; shown to those who may administer. */
function Installation() {
  const { value, problem } = useReading("installation", () => call("/installation/get", {}));
  const all = value?.installation;
  return (
    <Card title="Installation">
      {problem && <Empty title={problem} />}
      {all && (
        <dl class="facts">
          <dt>Version</dt>
          <dd>{all.version}</dd>
          <dt>Language model</dt>
          <dd>{all.model ?? "None: everything that code can do works without one"}</dd>
          <dt>Retention</dt>
          <dd>{all.keepDays === null ? "Finished executions stay for good" : `Finished executions stay for ${all.keepDays} days`}</dd>
          <dt>Limits</dt>
          <dd>
            {number(all.maxQueued)} waiting and {number(all.maxPaused)} paused executions,{" "}
            {all.maxPerMinute === 0 ? "any number of starts" : `${number(all.maxPerMinute)} starts`} per minute, {all.maxTabs} tabs each, {megabytes(all.maxOutputBytes)} of output,{" "}
            {all.maxStoredBytes === null ? "files without a limit" : `${megabytes(all.maxStoredBytes)} of files`}
          </dd>
          <dt>Doctor</dt>
          <dd>
            <ul class="plain-list" aria-label="What doctor says">
              {all.checks.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </dd>
        </dl>
      )}
    </Card>
  );
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function megabytes(bytes: number): string {
  return `${number(Math.round(bytes / 1_048_576))} MB`;
}
