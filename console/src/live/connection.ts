/** The live view's WebSocket: receives pictures and state of a running browser, sends the user's input. */
import { signal } from "@preact/signals";

export interface Tab {
  readonly id: number;
  readonly title: string;
  readonly site: string;
  readonly isCurrent: boolean;
}

/** The state message of the service. */
export interface LiveState {
  readonly workflow: string;
  readonly mayDrive: boolean;
  readonly driver: "you" | "other" | "nobody";
  readonly heldFor: string;
  readonly waitsFor: string;
  readonly width: number;
  readonly height: number;
  readonly tabs: readonly Tab[];
  readonly question: { id: number; kind: string; message: string; suggestion: string } | null;
  readonly chooser: { id: number; isMultiple: boolean } | null;
}

type Message =
  | ({ readonly type: "state" } & LiveState)
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "ended"; readonly isFinal: boolean; readonly message: string };

const MAX_RETRY_DELAY_MS = 10_000;
const CHUNK_BYTES = 256 * 1024;

export class LiveConnection {
  readonly state = signal<LiveState | undefined>(undefined);
  /** Why there is no picture; empty while there is one. */
  readonly message = signal("Connecting…");
  /** Why the service refused the last input; empty if it did not. */
  readonly refusal = signal("");
  onPicture: (picture: Blob) => Promise<void> = () => Promise.resolve();
  private socket: WebSocket | undefined;
  private isClosed = false;
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private newest: Blob | undefined;
  private isDrawing = false;

  constructor(private readonly url: string) {
    this.connect();
  }

  get isDriving(): boolean {
    return this.state.value?.driver === "you" && this.socket?.readyState === WebSocket.OPEN;
  }

  send(type: string, more: object = {}): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...more }));
  }

  /** Send files to the page's open file chooser. */
  async sendFiles(files: readonly File[]): Promise<void> {
    for (const file of files) {
      this.send("file", { name: file.name.slice(-255) });
      for (let at = 0; at < file.size; at += CHUNK_BYTES) this.socket?.send(await file.slice(at, at + CHUNK_BYTES).arrayBuffer());
    }
    this.send("files");
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    const token = new URL(this.url, location.href).searchParams.get("t") ?? "";
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live/socket`;
    const socket = new WebSocket(address, ["pagehand.live", `t.${token}`, `k.${tabSecret()}`]);
    this.socket = socket;
    socket.binaryType = "blob";
    socket.onmessage = (event: MessageEvent<string | Blob>) => this.receive(event.data);
    socket.onclose = () => this.reconnect();
  }

  private reconnect(): void {
    if (this.isClosed) return;
    this.state.value = undefined;
    this.tries += 1;
    if (this.tries > 1) this.message.value = "Connection lost. Trying again…";
    this.timer = setTimeout(() => this.connect(), Math.min(MAX_RETRY_DELAY_MS, 500 * 2 ** Math.min(this.tries, 5)));
  }

  private receive(data: string | Blob): void {
    if (typeof data !== "string") return void this.draw(data);
    const message = JSON.parse(data) as Message;
    switch (message.type) {
      case "state":
        this.tries = 0;
        this.state.value = message;
        break;
      case "refused":
        this.refusal.value = message.message;
        break;
      case "ended":
        this.isClosed = message.isFinal;
        this.state.value = undefined;
        this.message.value = message.message;
    }
  }

  /** Draw only the newest picture; acknowledge each one, because the service waits for that before it sends more. */
  private async draw(picture: Blob): Promise<void> {
    if (this.newest) this.send("seen");
    this.newest = picture;
    if (this.isDrawing) return;
    this.isDrawing = true;
    while (this.newest) {
      const next = this.newest;
      this.newest = undefined;
      await this.onPicture(next).catch(() => undefined); // an incomplete picture; the next one replaces it
      this.message.value = "";
      this.send("seen");
    }
    this.isDrawing = false;
  }
}

/** A secret of this tab: it proves after a lost connection that this is the same viewer. */
function tabSecret(): string {
  const stored = sessionStorage.getItem("pagehand.live");
  if (stored) return stored;
  const created = Array.from(crypto.getRandomValues(new Uint8Array(24)), (one) => one.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem("pagehand.live", created);
  return created;
}
