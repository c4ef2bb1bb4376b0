/** Stored logins and their health; `?login=` shows one of them first. */
import { useState } from "preact/hooks";
import { call, type Schemas } from "../../api/client";
import { searchParams, setSearchParams } from "../../app/router";
import { useQuery } from "../../app/use_query";
import { Button } from "../../design/button";
import { Card, EmptyState, ListState } from "../../design/card";
import { useInfiniteScroll } from "../../design/infinite_scroll";
import { LoginCard } from "./login_card";
import { LoginForm } from "./login_form";

export type Login = Schemas["Login"];

export default function Logins() {
  const { value, problem } = useQuery("logins", () => call("/logins/list", {}), { nouns: ["login", "execution"] });
  const [isNew, setNew] = useState(false);
  const selectedId = searchParams.value.get("login");
  const logins = withSelectedFirst(value?.logins ?? [], selectedId);
  const { visibleCount, sentinel } = useInfiniteScroll<HTMLDivElement>(logins.length);
  return (
    <>
      <div class="view-head">
        <h1>Logins</h1>
        <Button needs="edit" kind="primary" icon="plus" onPress={() => setNew(true)}>
          New login
        </Button>
      </div>
      <ListState isLoaded={value !== undefined} problem={problem} />
      {value && selectedId && logins[0]?.id !== selectedId && (
        <p class="banner" role="status">
          This login no longer exists. <Button onPress={() => setSearchParams({ login: "" })}>Show all</Button>
        </p>
      )}
      {value?.logins.length === 0 && (
        <Card>
          <EmptyState title="No logins yet.">
            Workflows use logins to sign in. Secrets are encrypted and never shown again.
          </EmptyState>
        </Card>
      )}
      <div class="cards">
        {logins.slice(0, visibleCount).map((one) => (
          <LoginCard key={one.id} login={one} after={value} isSelected={one.id === selectedId} />
        ))}
        <div ref={sentinel} />
      </div>
      {isNew && <LoginForm onClose={() => setNew(false)} />}
    </>
  );
}

/** The logins with the selected one first. */
function withSelectedFirst(logins: readonly Login[], selectedId: string | null): readonly Login[] {
  return [...logins.filter((one) => one.id === selectedId), ...logins.filter((one) => one.id !== selectedId)];
}
