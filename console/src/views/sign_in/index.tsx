/** `/sign-in`: an API key is traded for a session; the key itself is kept nowhere. */
import { useState } from "preact/hooks";
import { sentence, UNREACHABLE } from "../../api/client";
import { query } from "../../app/router";
import { Button } from "../../design/button";
import { TextField } from "../../design/field";

export default function SignIn() {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<string>();
  const signIn = async () => {
    try {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch("/console/session", { method: "POST", headers, body: JSON.stringify({ key }) }).catch(() => {
        throw new Error(UNREACHABLE);
      });
      const answer = (await response.json()) as { error?: string };
      if (!response.ok) throw new Error(answer.error ?? "The key was refused.");
      location.assign(nextAddress());
    } catch (trouble) {
      setProblem(sentence(trouble));
    }
  };
  return (
    <main class="sign-in">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <h1>Sign in to Pagehand</h1>
        <p class="muted">
          Use an API key of your organization. An operator makes one with <code>pagehand keys create --organization NAME</code>.
        </p>
        <TextField label="API key" type="password" value={key} onInput={setKey} problem={problem} required autoComplete="off" />
        <Button kind="primary" type="submit" disabled={!key.trim()}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

/** Where the person wanted to go; only addresses of the console itself count. */
function nextAddress(): string {
  const next = new URL(query.value.get("next") ?? "/", location.origin);
  return next.origin === location.origin ? next.pathname + next.search : "/";
}
