/** One login: its health and actions. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { navigate } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card } from "../../design/card";
import { confirmAction } from "../../design/dialog";
import { notify } from "../../design/notice";
import { Badge } from "../../design/status";
import { TextWithCode } from "../../design/text_with_code";
import { relativeTime, Time } from "../../design/time";
import type { Login } from ".";
import { LoginForm } from "./login_form";

type Health = Schemas["LoginHealth"];
const WAITS_FOR_A_PERSON = ["WaitingForCode", "WaitingForUser"];

export function LoginCard({ login, after, isSelected }: { login: Login; after: unknown; isSelected: boolean }) {
  const health = useQuery(`login ${login.id}`, () => call("/logins/get", { id: login.id }), { after }).value?.login
    .health;
  const [isEditing, setEditing] = useState(false);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSelected) card.current?.focus();
  }, [isSelected]);
  const deleteLogin = async () => {
    if (await confirmAction("Delete this login?", `“${login.name}” and its secrets will be deleted.`, "Delete login"))
      await call("/logins/delete", { id: login.id });
  };
  return (
    <div ref={card} tabIndex={-1} class={isSelected ? "chosen" : ""}>
      <Card title={login.name} actions={<HealthBadge health={health} />}>
        <Facts login={login} health={health} />
        {health && isFailing(health) && (
          <p class="small field-problem">
            {health.failures > 1 && `Failed ${health.failures} times. `}
            <TextWithCode text={health.lastFailure ?? ""} />
          </p>
        )}
        <div class="row card-actions">
          {login.isManualAuthentication ? (
            <Button needs="run" kind="primary" onPress={() => test(login)}>
              Sign in by hand
            </Button>
          ) : (
            <Button needs="run" onPress={() => test(login)}>
              Test
            </Button>
          )}
          {health?.isHeld && (
            <Button needs="edit" onPress={() => call("/logins/release", { id: login.id })}>
              Release
            </Button>
          )}
          <Button needs="edit" onPress={() => setEditing(true)}>
            Change
          </Button>
          <Button needs="edit" kind="quiet" icon="trash" label={`Delete ${login.name}`} onPress={deleteLogin} />
        </div>
      </Card>
      {isEditing && <LoginForm login={login} onClose={() => setEditing(false)} />}
    </div>
  );
}

function Facts({ login, health }: { login: Login; health: Health | undefined }) {
  const method = login.loginConfiguration.twoFactorAuthConfiguration?.method ?? "None";
  return (
    <dl class="facts small">
      <dt>User</dt>
      <dd class="clip">{login.loginConfiguration.username || "–"}</dd>
      <dt>Site</dt>
      <dd class="clip">{login.authenticationUrl}</dd>
      <dt>Second factor</dt>
      <dd>
        {method}
        {health?.nextCodeSeconds != null && <span class="muted">{` · next code in ${health.nextCodeSeconds} s`}</span>}
      </dd>
      {health?.codeAddress && (
        <>
          <dt>Address for codes</dt>
          <dd class="clip">{health.codeAddress}</dd>
        </>
      )}
      <dt>Last signed in</dt>
      <dd>
        <Time iso={health?.lastSuccessAt} />
      </dd>
      <dt>Saved session</dt>
      <dd>
        {health?.sessionSavedAt
          ? `Saved ${relativeTime(health.sessionSavedAt)}`
          : login.persistSession
            ? "None yet"
            : "Not saved"}
      </dd>
    </dl>
  );
}

/** Whether the last sign-in failed; one that worked since then counts more than the failure before it. */
function isFailing({ isHeld, lastFailureAt, lastSuccessAt }: Health): boolean {
  return isHeld || (lastFailureAt ?? "") > (lastSuccessAt ?? "");
}

function HealthBadge({ health }: { health: Health | undefined }) {
  if (!health) return null;
  if (health.isHeld) return <Badge kind="bad">On hold</Badge>;
  if (isFailing(health)) return <Badge kind="warn">Last sign-in failed</Badge>;
  return health.lastSuccessAt ? <Badge kind="good">Works</Badge> : <Badge>Not used yet</Badge>;
}

/** Sign in to the site; if that needs a person, open the execution that waits for them. */
async function test(login: Login): Promise<void> {
  const { test: result } = await call("/logins/test", { id: login.id });
  if (WAITS_FOR_A_PERSON.includes(result.status)) navigate(`/executions/${result.executionId}`);
  else notify(result.message, result.success ? "good" : "bad");
}
