/** One login: how it fares, and what can be done about it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { go } from "../../app/router";
import { Button } from "../../design/button";
import { Card } from "../../design/card";
import { ask } from "../../design/dialog";
import { notify } from "../../design/notice";
import { Prose } from "../../design/prose";
import { Badge } from "../../design/status";
import { ago, Time } from "../../design/time";
import type { Login } from ".";
import { LoginForm } from "./login_form";

type Health = Schemas["Health"];
const WAITS_FOR_A_PERSON = ["WaitingForCode", "WaitingForUser"];

export function LoginCard({ login, after, isChosen }: { login: Login; after: unknown; isChosen: boolean }) {
  const health = useReading(`login ${login.id}`, () => call("/logins/get", { id: login.id }), { after }).value?.login.health;
  const [isEdited, setEdited] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) place.current?.focus();
  }, [isChosen]);
  const drop = async () => {
    if (await ask("Delete this login", `“${login.name}” and its secrets are forgotten.`, "Delete it")) await call("/logins/delete", { id: login.id });
  };
  return (
    <div ref={place} tabIndex={-1} class={isChosen ? "chosen" : ""}>
      <Card title={login.name} actions={<HealthBadge health={health} />}>
        <Facts login={login} health={health} />
        {health?.lastFailure && (
          <p class="small field-problem">
            {health.failures > 1 && `Failed ${health.failures} times. `}
            <Prose text={health.lastFailure} />
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
          <Button needs="edit" onPress={() => setEdited(true)}>
            Change
          </Button>
          <Button needs="edit" kind="quiet" icon="trash" label={`Delete ${login.name}`} onPress={drop} />
        </div>
      </Card>
      {isEdited && <LoginForm login={login} onClose={() => setEdited(false)} />}
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
          <dt>Mail with codes to</dt>
          <dd class="clip">{health.codeAddress}</dd>
        </>
      )}
      <dt>Last signed in</dt>
      <dd>
        <Time iso={health?.lastSuccessAt} />
      </dd>
      <dt>Saved session</dt>
      <dd>{health?.sessionSavedAt ? `from ${ago(health.sessionSavedAt)}` : login.persistSession ? "None yet" : "Not kept"}</dd>
    </dl>
  );
}

function HealthBadge({ health }: { health: Health | undefined }) {
  if (!health) return null;
  if (health.isHeld) return <Badge kind="bad">Held back</Badge>;
  if (health.lastFailure) return <Badge kind="warn">Failed last</Badge>;
  return health.lastSuccessAt ? <Badge kind="good">Works</Badge> : <Badge>Not used yet</Badge>;
}

/** Sign in for real; where that needs a person, lead them to the browser that waits. */
async function test(login: Login): Promise<void> {
  const { test: result } = await call("/logins/test", { id: login.id });
  if (WAITS_FOR_A_PERSON.includes(result.status)) go(`/executions/${result.executionId}`);
  else notify(result.message, result.success ? "good" : "bad");
}
