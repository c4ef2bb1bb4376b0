/** The views by address; each is loaded when it is first opened. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../design/button";
import { EmptyState } from "../design/card";
import { matchView, path, similarAddress, type PATTERNS } from "./router";

type ViewModule = { default: ComponentType<Record<string, string>> };

const VIEWS: Record<(typeof PATTERNS)[number], () => Promise<ViewModule>> = {
  "/": () => import("../views/overview") as Promise<ViewModule>,
  "/sign-in": () => import("../views/sign_in") as Promise<ViewModule>,
  "/executions": () => import("../views/executions") as Promise<ViewModule>,
  "/executions/:id": () => import("../views/execution") as Promise<ViewModule>,
  "/workflows": () => import("../views/workflows") as Promise<ViewModule>,
  "/workflows/:id": () => import("../views/workflow") as Promise<ViewModule>,
  "/attention": () => import("../views/attention") as Promise<ViewModule>,
  "/logins": () => import("../views/logins") as Promise<ViewModule>,
  "/batches": () => import("../views/batches") as Promise<ViewModule>,
  "/batches/:id": () => import("../views/batch") as Promise<ViewModule>,
  "/schedules": () => import("../views/schedules") as Promise<ViewModule>,
  "/webhooks": () => import("../views/webhooks") as Promise<ViewModule>,
  "/files": () => import("../views/files") as Promise<ViewModule>,
  "/knowledge": () => import("../views/knowledge") as Promise<ViewModule>,
  "/settings": () => import("../views/settings") as Promise<ViewModule>,
};

const loadedViews = new Map<string, ComponentType<Record<string, string>>>();

export function View() {
  const [, setLoadedCount] = useState(0);
  const [hasFailed, setFailed] = useState(false);
  const matched = matchView(path.value);
  const pattern = matched?.pattern;
  useEffect(() => {
    if (!matched || loadedViews.has(matched.pattern)) return;
    VIEWS[matched.pattern]().then(
      (module) => {
        loadedViews.set(matched.pattern, module.default);
        setLoadedCount((before) => before + 1);
      },
      () => setFailed(true),
    );
  }, [pattern]);
  if (!matched) return <NotFound />;
  const Component = loadedViews.get(matched.pattern);
  if (!Component) return hasFailed ? <NotLoaded /> : <p role="status">Loading…</p>;
  return <Component key={JSON.stringify(matched.params)} {...matched.params} />;
}

/** A page that was open during an update asks for scripts that the new version no longer has. */
function NotLoaded() {
  return (
    <EmptyState title="This view could not be loaded.">
      <p>Pagehand was updated, or cannot be reached. Your unsaved changes are kept.</p>
      <Button onPress={() => location.reload()}>Reload</Button>
    </EmptyState>
  );
}

function NotFound() {
  const meant = similarAddress(path.value);
  return (
    <EmptyState title="Page not found.">
      <p>
        There is nothing at <code>{path.value}</code>.
      </p>
      {meant && (
        <p>
          Did you mean <a href={meant}>{meant}</a>?
        </p>
      )}
      <a href="/">Go to the overview</a>
    </EmptyState>
  );
}
