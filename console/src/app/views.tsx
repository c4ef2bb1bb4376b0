/** Which view belongs to which address; each is loaded when it is first opened. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { sentence } from "../api/client";
import { Empty } from "../design/card";
import { match, path } from "./router";

type Loaded = { default: ComponentType<Record<string, string>> };

const VIEWS: readonly (readonly [pattern: string, load: () => Promise<Loaded>])[] = [
  ["/", () => import("../views/overview") as Promise<Loaded>],
  ["/sign-in", () => import("../views/sign_in") as Promise<Loaded>],
  ["/executions", () => import("../views/executions") as Promise<Loaded>],
  ["/executions/:id", () => import("../views/execution") as Promise<Loaded>],
  ["/workflows", () => import("../views/workflows") as Promise<Loaded>],
  ["/workflows/:id", () => import("../views/workflow") as Promise<Loaded>],
  ["/attention", () => import("../views/attention") as Promise<Loaded>],
  ["/logins", () => import("../views/logins") as Promise<Loaded>],
  ["/batches", () => import("../views/batches") as Promise<Loaded>],
  ["/batches/:id", () => import("../views/batch") as Promise<Loaded>],
  ["/schedules", () => import("../views/schedules") as Promise<Loaded>],
  ["/webhooks", () => import("../views/webhooks") as Promise<Loaded>],
  ["/files", () => import("../views/files") as Promise<Loaded>],
  ["/knowledge", () => import("../views/knowledge") as Promise<Loaded>],
  ["/settings", () => import("../views/settings") as Promise<Loaded>],
];

const loaded = new Map<string, ComponentType<Record<string, string>>>();

export function View() {
  const [, setTurn] = useState(0);
  const [problem, setProblem] = useState<string>();
  const found = VIEWS.map(([pattern, load]) => ({ pattern, load, params: match(pattern, path.value) })).find(({ params }) => params);
  const pattern = found?.pattern;
  useEffect(() => {
    if (!found || loaded.has(found.pattern)) return;
    found.load().then(
      (one) => {
        loaded.set(found.pattern, one.default);
        setTurn((before) => before + 1);
      },
      (trouble: unknown) => setProblem(sentence(trouble)),
    );
  }, [pattern]);
  if (!found) return <Empty title="There is nothing at this address.">{path.value}</Empty>;
  const Shown = loaded.get(found.pattern);
  if (!Shown) return problem ? <Empty title={problem} /> : <p role="status">Loading…</p>;
  return <Shown key={JSON.stringify(found.params)} {...found.params} />;
}
