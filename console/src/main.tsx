/** The console: finds out who is looking, then shows the view of the address. */
import { render } from "preact";
import { whenSignedOut } from "./api/client";
import { openStream } from "./api/events";
import { startCounting } from "./app/attention_count";
import { Frame } from "./app/frame";
import { startKeys } from "./app/keys";
import { go, path, startRouter } from "./app/router";
import { startSession } from "./app/session";
import { startTheme } from "./app/theme";
import { View } from "./app/views";

function App() {
  if (path.value === "/sign-in") return <View />;
  return (
    <Frame>
      <View />
    </Frame>
  );
}

startTheme();
startRouter();
startKeys();
whenSignedOut(() => {
  if (path.value !== "/sign-in") go(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`, { replace: true });
});
if (path.value !== "/sign-in") {
  void startSession();
  openStream();
  startCounting();
}
render(<App />, document.getElementById("app")!);
