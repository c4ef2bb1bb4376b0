/** The console's entry point: starts its parts and shows the view of the address. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { onSignedOut, UNREACHABLE } from "./api/client";
import { isLive, openStream } from "./api/events";
import { startAttentionCount } from "./app/attention_count";
import { Frame } from "./app/frame";
import { navigate, path, startRouter } from "./app/router";
import { startSession } from "./app/session";
import { startShortcuts } from "./app/shortcuts";
import { startTheme } from "./app/theme";
import { View } from "./app/views";
import { dismissErrors } from "./design/notice";

function App() {
  if (path.value === "/sign-in") return <View />;
  return (
    <Frame>
      <View />
    </Frame>
  );
}

startTheme();
effect(() => {
  void path.value; // errors of a view end with it
  dismissErrors(() => true);
});
effect(() => {
  if (isLive.value) dismissErrors((text) => text === UNREACHABLE);
});
startRouter();
startShortcuts();
onSignedOut(() => {
  if (path.value !== "/sign-in")
    navigate(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`, { replace: true });
});
if (path.value !== "/sign-in") {
  void startSession();
  openStream();
  startAttentionCount();
}
render(<App />, document.getElementById("app")!);
