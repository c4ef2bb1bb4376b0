/** The form with which each kind of waiting item is answered. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { call } from "../../api/client";
import { hasScope } from "../../app/session";
import { Button } from "../../design/button";
import { confirmAction } from "../../design/dialog";
import { TextField } from "../../design/field";
import { Form } from "../../design/form";
import { notify } from "../../design/notice";
import { OpenInNewTab } from "../../live/open_in_new_tab";
import { LiveScreen } from "../../live/screen";
import { Proposal } from "../execution/proposal";
import type { Item } from ".";

const MIN_CODE_LENGTH = 4;

export function Answer({ item }: { item: Item }) {
  const id = item.execution?.id ?? "";
  switch (item.kind) {
    case "code":
      return <CodeForm executionId={id} />;
    case "signIn":
    case "person":
      return <LiveViewAnswer item={item} />;
    case "approval":
      return <ApprovalAnswer executionId={id} />;
    case "request":
      return <ResumeAnswer executionId={id} />;
    case "login":
      return <LoginAnswer loginId={item.login?.id ?? ""} />;
    case "proposal":
      return <Proposal by={{ id }} />;
  }
}

/** Why the site rejected a code, by execution. Kept outside the card, which disappears while the site checks a code. */
const rejections = signal<Record<string, string | undefined>>({});

function CodeForm({ executionId }: { executionId: string }) {
  const [code, setCode] = useState("");
  const setProblem = (problem?: string) => (rejections.value = { ...rejections.value, [executionId]: problem });
  if (!hasScope("run")) return <p class="small muted">Your key cannot submit codes: it needs the scope “run”.</p>;
  const send = async () => {
    setProblem(undefined);
    const answer = await call("/authentication/submitTwoFactorAuthCode", { code, executionId });
    if (answer.success) notify("The site accepted the code.");
    else setProblem(answer.message);
    setCode("");
  };
  return (
    <Form isLine>
      <TextField
        label="Code"
        path="code"
        value={code}
        onInput={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        problem={rejections.value[executionId]}
      />
      <Button
        kind="primary"
        type="submit"
        disabled={code.replace(/[\s-]/g, "").length < MIN_CODE_LENGTH}
        onPress={send}
      >
        Send
      </Button>
    </Form>
  );
}

/** Opens the live view on request only: ten cards must not stream ten browsers. */
function LiveViewAnswer({ item }: { item: Item }) {
  const [isOpen, setOpen] = useState(false);
  const [initialUrl] = useState(item.liveViewUrl); // for a key without `run` the URL changes with every read
  return (
    <>
      <div class="row">
        {item.liveViewUrl && (
          <Button kind="primary" expanded={isOpen} onPress={() => setOpen(!isOpen)}>
            {isOpen ? "Close the live view" : "Open the live view"}
          </Button>
        )}
        <CancelButton executionId={item.execution?.id ?? ""} label="Cancel" />
      </div>
      {isOpen && initialUrl && (
        <LiveScreen url={initialUrl} shownReason={item.reason} actions={<OpenInNewTab url={initialUrl} />} />
      )}
    </>
  );
}

function ApprovalAnswer({ executionId }: { executionId: string }) {
  return (
    <div class="row">
      <Button needs="run" kind="primary" icon="check" onPress={() => call("/executions/resume", { id: executionId })}>
        Approve
      </Button>
      <CancelButton executionId={executionId} label="Decline" />
    </div>
  );
}

function ResumeAnswer({ executionId }: { executionId: string }) {
  return (
    <div class="row">
      <Button needs="run" kind="primary" icon="play" onPress={() => call("/executions/resume", { id: executionId })}>
        Resume
      </Button>
      <CancelButton executionId={executionId} label="Cancel" />
    </div>
  );
}

function CancelButton({ executionId, label }: { executionId: string; label: string }) {
  const cancel = async () => {
    if (
      await confirmAction(`${label} this execution?`, "It ends as Failed, and its browser is closed.", "End execution")
    )
      await call("/executions/cancel", { id: executionId });
  };
  return (
    <Button needs="run" kind="danger" onPress={cancel}>
      {label}
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
