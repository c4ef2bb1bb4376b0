/** The live view's WebSocket: receives pictures and state of a running browser, sends the user's input. */
import { signal } from "@preact/signals";
import { notify } from "../design/notice";

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
const MAX_FILE_BYTES = 50e6;

export class LiveConnection {
  readonly state = signal<LiveState | undefined>(undefined);
  /** Why there is no picture; empty while there is one. */
  readonly message = signal("Connecting…");
  onPicture: (picture: Blob) => Promise<void> = () => Promise.resolve();
  private socket: WebSocket | undefined;
  private isClosed = false;
  /** The service said why there is no browser right now. */
  private hasReason = false;
  private tries = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private newest: Blob | undefined;
  private isDrawing = false;
  private unacknowledged = 0;

  constructor(private readonly url: string) {
    document.addEventListener("visibilitychange", this.onVisibilityChange);
    this.connect();
  }

  get isDriving(): boolean {
    return this.state.value?.driver === "you" && this.isOpen;
  }

  private get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(type: string, more: object = {}): void {
    if (this.isOpen) this.socket?.send(JSON.stringify({ type, ...more }));
  }

  /** Send files to the page's open file chooser; `onProgress` gets the part that was sent, from 0 to 1. */
  async sendFiles(files: readonly File[], onProgress: (part: number) => void): Promise<void> {
    const socket = this.socket;
    const isSame = () => socket === this.socket && this.isOpen;
    const total = files.reduce((sum, file) => sum + file.size, 0);
    if (total > MAX_FILE_BYTES) throw new Error("The files are larger than 50 MB together.");
    let sent = 0;
    for (const file of files) {
      this.send("file", { name: file.name.slice(-255) });
      for (let at = 0; at < file.size; at += CHUNK_BYTES) {
        const chunk = await file.slice(at, at + CHUNK_BYTES).arrayBuffer();
        // a slow connection would otherwise hold all of it in memory, and the user's input behind it
        while (isSame() && socket!.bufferedAmount > 4 * CHUNK_BYTES)
          await new Promise((resolve) => setTimeout(resolve, 20));
        if (!isSame()) throw new Error("The connection was lost while the files were sent. Choose them again.");
        socket!.send(chunk);
        sent += chunk.byteLength;
        onProgress(sent / total);
      }
    }
    this.send("files");
  }

  close(): void {
    this.isClosed = true;
    document.removeEventListener("visibilitychange", this.onVisibilityChange);
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    clearTimeout(this.timer);
    const token = new URL(this.url, location.href).searchParams.get("t") ?? "";
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live/socket`;
    const socket = new WebSocket(address, ["pagehand.live", `t.${token}`, `k.${tabSecret()}`]);
    this.socket = socket;
    this.unacknowledged = 0;
    socket.binaryType = "blob";
    socket.onmessage = (event: MessageEvent<string | Blob>) => socket === this.socket && this.receive(event.data);
    socket.onclose = () => socket === this.socket && this.reconnect();
  }

  private reconnect(): void {
    if (this.isClosed) return;
    this.state.value = undefined;
    this.tries += 1;
    if (!this.hasReason || this.tries > 3)
      this.message.value = this.tries > 1 ? "The connection is lost. Trying again…" : "Connecting…";
    this.timer = setTimeout(() => this.connect(), Math.min(MAX_RETRY_DELAY_MS, 500 * 2 ** Math.min(this.tries, 5)));
  }

  private receive(data: string | Blob): void {
    if (typeof data !== "string") return void this.draw(data);
    const message = JSON.parse(data) as Message;
    switch (message.type) {
      case "state":
        this.tries = 0;
        this.hasReason = false;
        this.state.value = message;
        break;
      case "refused":
        notify(message.message, "bad");
        break;
      case "ended":
        this.isClosed = message.isFinal;
        this.tries = 0;
        this.hasReason = true;
        this.state.value = undefined;
        this.message.value = message.message;
    }
  }

  /** Draw only the newest picture; acknowledge each one, because the service waits for that before it sends more. */
  private async draw(picture: Blob): Promise<void> {
    if (this.newest) this.acknowledge();
    this.newest = picture;
    if (this.isDrawing) return;
    this.isDrawing = true;
    while (this.newest) {
      const next = this.newest;
      this.newest = undefined;
      await this.onPicture(next).catch(() => undefined); // an incomplete picture; the next one replaces it
      if (this.state.value) this.message.value = "";
      this.acknowledge();
    }
    this.isDrawing = false;
  }

  /** A hidden tab asks for no more pictures until it is shown again. */
  private acknowledge(): void {
    if (document.hidden) this.unacknowledged += 1;
    else this.send("seen");
  }

  private readonly onVisibilityChange = (): void => {
    if (document.hidden || this.isClosed) return;
    for (; this.unacknowledged > 0; this.unacknowledged -= 1) this.send("seen");
    if (this.socket && this.socket.readyState > WebSocket.OPEN) this.connect();
  };
}

/** A secret of this tab: it proves after a lost connection that this is the same viewer. */
function tabSecret(): string {
  const stored = sessionStorage.getItem("pagehand.live");
  if (stored) return stored;
  const created = Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  sessionStorage.setItem("pagehand.live", created);
  return created;
}
