/** How each kind of waiting thing is answered. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { may } from "../../app/session";
import { Button } from "../../design/button";
import { ask } from "../../design/dialog";
import { TextField } from "../../design/field";
import { notify } from "../../design/notice";
import { OwnTab } from "../../live/own_tab";
import { LiveScreen } from "../../live/screen";
import { Proposal } from "../execution/proposal";
import type { Item } from ".";

const SHORTEST_CODE = 4;

export function Answer({ item }: { item: Item }) {
  const id = item.execution?.id ?? "";
  switch (item.kind) {
    case "code":
      return <CodeForm executionId={id} />;
    case "signIn":
    case "person":
      return <ByHand item={item} />;
    case "approval":
      return <YesOrNo executionId={id} />;
    case "request":
      return <Resume executionId={id} />;
    case "login":
      return <LoginAnswer loginId={item.login?.id ?? ""} />;
    case "proposal":
      return <Proposal by={{ id }} />;
  }
}

/** Why the site refused a code, by execution: while it tries one the card is gone, and its own state with it. */
const refusals = signal<Record<string, string | undefined>>({});

function CodeForm({ executionId }: { executionId: string }) {
  const [code, setCode] = useState("");
  const setProblem = (problem?: string) => (refusals.value = { ...refusals.value, [executionId]: problem });
  if (!may("run")) return <p class="small muted">Your key does not allow handing in codes.</p>;
  const send = async () => {
    setProblem(undefined);
    const answer = await call("/authentication/submitTwoFactorAuthCode", { code, executionId });
    if (answer.success) notify("The site took the code.");
    else setProblem(answer.message);
    setCode("");
  };
  return (
    <form class="row code-form" onSubmit={(event) => event.preventDefault()}>
      <TextField label="Code" value={code} onInput={setCode} inputMode="numeric" autoComplete="one-time-code" problem={refusals.value[executionId]} />
      <Button kind="primary" type="submit" disabled={code.replace(/[\s-]/g, "").length < SHORTEST_CODE} onPress={send}>
        Send
      </Button>
    </form>
  );
}

/** The browser is opened in place only when somebody asks for it: ten cards must not show ten browsers. */
function ByHand({ item }: { item: Item }) {
  const [isOpen, setOpen] = useState(false);
  const [first] = useState(item.liveViewUrl); // a key that may only watch gets another link each time
  return (
    <>
      <div class="row">
        {item.liveViewUrl && (
          <Button kind="primary" expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {isOpen ? "Close the live view" : "Open the live view"}
          </Button>
        )}
        <Cancel executionId={item.execution?.id ?? ""} word="Cancel" />
      </div>
      {isOpen && first && <LiveScreen url={first} said={item.reason} actions={<OwnTab url={first} />} />}
    </>
  );
}

function YesOrNo({ executionId }: { executionId: string }) {
  return (
    <div class="row">
      <Button needs="run" kind="primary" icon="check" onPress={() => call("/executions/resume", { id: executionId })}>
        Approve
      </Button>
      <Cancel executionId={executionId} word="Decline" />
    </div>
  );
}

function Resume({ executionId }: { executionId: string }) {
  return (
    <div class="row">
      <Button needs="run" kind="primary" icon="play" onPress={() => call("/executions/resume", { id: executionId })}>
        Resume
      </Button>
      <Cancel executionId={executionId} word="Cancel" />
    </div>
  );
}

function Cancel({ executionId, word }: { executionId: string; word: string }) {
  const cancel = async () => {
    if (await ask(word, "The execution ends as Failed, and its browser is closed.", "End it")) await call("/executions/cancel", { id: executionId });
  };
  return (
    <Button needs="run" kind="danger" onPress={cancel}>
      {word}
    </Button>
  );
}

function LoginAnswer({ loginId }: { loginId: string }) {
  const test = async () => {
    const { test: result } = await call("/logins/test", { id: loginId });
    notify(result.message, result.success ? "good" : "bad");
  };
  return (
    <div class="row">
      <a class="button primary" href={`/logins?login=${encodeURIComponent(loginId)}`}>
        Open the login
      </a>
      <Button needs="run" onPress={test}>
        Test
      </Button>
      <Button needs="edit" onPress={() => call("/logins/release", { id: loginId })}>
        Release
      </Button>
    </div>
  );
}
