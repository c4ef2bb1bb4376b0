/** `/sign-in`: exchanges an API key for a session cookie. The browser does not store the key. */
import { useState } from "preact/hooks";
import { errorMessage, UNREACHABLE } from "../../api/client";
import { searchParams, viewAddress } from "../../app/router";
import { Button } from "../../design/button";
import { TextField } from "../../design/field";

export default function SignIn() {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState<string>();
  const signIn = async () => {
    try {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch("/console/session", {
        method: "POST",
        headers,
        body: JSON.stringify({ key }),
      }).catch(() => {
        throw new Error(UNREACHABLE);
      });
      const answer = (await response.json()) as { error?: string };
      if (!response.ok) throw new Error(answer.error ?? "This key is not valid.");
      // `next` may be anybody's: only a view of this console is opened
      location.assign(viewAddress(searchParams.value.get("next") ?? "/") ?? "/");
    } catch (error) {
      setProblem(errorMessage(error));
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
          Use an API key of your organization. An operator creates one with{" "}
          <code>pagehand keys create --organization NAME</code>.
        </p>
        <TextField
          label="API key"
          type="password"
          value={key}
          onInput={setKey}
          problem={problem}
          required
          autoComplete="off"
        />
        <Button kind="primary" type="submit" disabled={!key.trim()}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
