/** The page behind an execution's `liveViewUrl`: the live view alone, for people without a session. */
import { render } from "preact";
import { startTheme } from "./app/theme";
import { ConfirmDialog } from "./design/dialog";
import { Notices } from "./design/notice";
import { LiveScreen } from "./live/screen";

startTheme();
render(
  <main>
    <LiveScreen url={location.href} isWholePage />
    <ConfirmDialog />
    <Notices />
  </main>,
  document.getElementById("app")!,
);
