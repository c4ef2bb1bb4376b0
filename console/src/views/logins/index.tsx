/** Stored logins and how they fare; `?login=` leads to one of them. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { useReading } from "../../app/reading";
import { query, setQuery } from "../../app/router";
import { Button } from "../../design/button";
import { Card, Empty } from "../../design/card";
import { useGrowing } from "../../design/growing";
import { LoginCard } from "./login_card";
import { LoginForm } from "./login_form";

export type Login = Schemas["Login"];

export default function Logins() {
  const { value, problem } = useReading("logins", () => call("/logins/list", {}), { nouns: ["login", "execution"] });
  const [isNew, setNew] = useState(false);
  const chosen = query.value.get("login");
  const logins = chosenFirst(value?.logins ?? [], chosen);
  const { shown, end } = useGrowing<HTMLDivElement>(logins.length);
  return (
    <>
      <div class="view-head">
        <h1>Logins</h1>
        <Button needs="edit" kind="primary" icon="plus" onPress={() => setNew(true)}>
          New login
        </Button>
      </div>
      {problem && <Empty title={problem} />}
      {value && chosen && logins[0]?.id !== chosen && (
        <p class="banner" role="status">
          There is no such login any more. <Button onPress={() => setQuery({ login: "" })}>Show all</Button>
        </p>
      )}
      {value?.logins.length === 0 && (
        <Card>
          <Empty title="No logins yet.">Workflows sign in with them; secrets are encrypted and never shown again.</Empty>
        </Card>
      )}
      <div class="cards">
        {logins.slice(0, shown).map((one) => (
          <LoginCard key={one.id} login={one} after={value} isChosen={one.id === chosen} />
        ))}
        <div ref={end} />
      </div>
      {isNew && <LoginForm onClose={() => setNew(false)} />}
    </>
  );
}

/** The login that a link leads to stands first, wherever it is in the list. */
function chosenFirst(logins: readonly Login[], chosen: string | null): readonly Login[] {
  return [...logins.filter((one) => one.id === chosen), ...logins.filter((one) => one.id !== chosen)];
}
