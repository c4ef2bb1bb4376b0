/** Settings: the organization, its API keys, model usage, and the installation. */
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { hasScope } from "../../app/session";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState } from "../../design/card";
import { TextField } from "../../design/field";
import { Form } from "../../design/form";
import { formatNumber } from "../../design/format";
import { notify } from "../../design/notice";
import { TextWithCode } from "../../design/text_with_code";
import { Alerts } from "./alerts";
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
        <Alerts />
        {hasScope("admin") && <Keys />}
        <ModelUsage />
        {hasScope("admin") && <Installation />}
      </div>
    </>
  );
}

function Organization() {
  const { value, problem, refetch } = useQuery("organization", () => call("/organization/get", {}), {
    nouns: ["organization"],
  });
  const [proxy, setProxy] = useState("");
  if (problem) return <EmptyState title={problem} />;
  const save = async () => {
    await call("/organization/update", { proxy });
    setProxy("");
    notify("Saved.");
    refetch();
  };
  return (
    <Card title="Organization">
      <dl class="facts">
        <dt>Name</dt>
        <dd>{value?.organization.name}</dd>
        <dt>Proxy</dt>
        <dd class="clip">{value?.organization.proxy ?? "None"}</dd>
      </dl>
      {hasScope("admin") && (
        <Form isLine>
          <TextField
            label="New proxy"
            path="proxy"
            placeholder="http://user:password@host:port"
            value={proxy}
            onInput={setProxy}
            help="For executions that a program starts with `useProxy`. Save an empty field to remove the proxy."
          />
          <Button type="submit" onPress={save}>
            Save
          </Button>
        </Form>
      )}
    </Card>
  );
}

/** The operator's settings and the output of `pagehand doctor`; needs the scope `admin`. */
function Installation() {
  const { value, problem } = useQuery("installation", () => call("/installation/get", {}));
  const installation = value?.installation;
  return (
    <Card title="Installation">
      {problem && <EmptyState title={problem} />}
      {!installation && !problem && <p role="status">Loading…</p>}
      {installation && (
        <dl class="facts">
          <dt>Version</dt>
          <dd>{installation.version}</dd>
          <dt>Language model</dt>
          <dd>{installation.model ?? "None. Most blocks work without one."}</dd>
          <dt>Retention</dt>
          <dd>
            {installation.keepDays === null
              ? "Finished executions are kept forever"
              : `Finished executions are kept for ${installation.keepDays} days`}
          </dd>
          <dt>Limits</dt>
          <dd>
            {formatNumber(installation.maxQueued)} waiting and {formatNumber(installation.maxPaused)} paused executions,{" "}
            {installation.maxPerMinute === 0
              ? "any number of starts"
              : `${formatNumber(installation.maxPerMinute)} starts`}{" "}
            per minute, {installation.maxTabs} tabs each, {megabytes(installation.maxOutputBytes)} of output,{" "}
            {installation.maxStoredBytes === null
              ? "files without a limit"
              : `${megabytes(installation.maxStoredBytes)} of files`}
          </dd>
          <dt>Reachable addresses</dt>
          <dd>
            {installation.allowedAddresses.length > 0 ? (
              <>
                Every public address, and those that whoever runs the service has opened:
                <ul class="plain-list mono" aria-label="Opened addresses">
                  {installation.allowedAddresses.map((one) => (
                    <li key={one}>{one}</li>
                  ))}
                </ul>
              </>
            ) : (
              <p>Every public address, and no other: workflows must not reach into the network of the service.</p>
            )}
            <p class="small muted">
              <TextWithCode text="Nobody can change this here, administrators included. Whoever runs the service starts it with `--allow 127.0.0.1:8731`, or sets `PAGEHAND_EGRESS_ALLOW`." />
            </p>
          </dd>
          <dt>Doctor</dt>
          <dd>
            <ul class="plain-list" aria-label="Doctor checks">
              {installation.checks.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </dd>
        </dl>
      )}
    </Card>
  );
}

function megabytes(bytes: number): string {
  return `${formatNumber(Math.round(bytes / 1_048_576))} MB`;
}
