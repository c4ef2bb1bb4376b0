/** The live view's connection: pictures and state of a running browser come in, what a person does goes out. */
import { signal } from "@preact/signals";

export interface Tab {
  readonly id: number;
  readonly title: string;
  readonly site: string;
  readonly isCurrent: boolean;
}

/** Everything but the picture, as the service tells it. */
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

interface Ended {
  readonly isFinal: boolean;
  readonly message: string;
}

const LONGEST_WAIT_MS = 10_000;
const PIECE = 256 * 1024;

export class LiveConnection {
  readonly state = signal<LiveState | undefined>(undefined);
  /** Why there is nothing to see; empty while there is. */
  readonly message = signal("Connecting…");
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

  get drives(): boolean {
    return this.state.value?.driver === "you" && this.socket?.readyState === WebSocket.OPEN;
  }

  say(type: string, more: object = {}): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...more }));
  }

  /** Hand files to the page that waits for them. */
  async send(files: readonly File[]): Promise<void> {
    for (const file of files) {
      this.say("file", { name: file.name.slice(-255) });
      for (let at = 0; at < file.size; at += PIECE) this.socket?.send(await file.slice(at, at + PIECE).arrayBuffer());
    }
    this.say("files");
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    const token = new URL(this.url, location.href).searchParams.get("t") ?? "";
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live/socket`;
    const socket = new WebSocket(address, ["pagehand.live", `t.${token}`, `k.${seatKey()}`]);
    this.socket = socket;
    socket.binaryType = "blob";
    socket.onmessage = (event: MessageEvent<string | Blob>) => this.hear(event.data);
    socket.onclose = () => this.again();
  }

  private again(): void {
    if (this.isClosed) return;
    this.state.value = undefined;
    this.tries += 1;
    if (this.tries > 1) this.message.value = "The connection is lost. Trying again…";
    this.timer = setTimeout(() => this.connect(), Math.min(LONGEST_WAIT_MS, 500 * 2 ** Math.min(this.tries, 5)));
  }

  private hear(data: string | Blob): void {
    if (typeof data !== "string") return void this.draw(data);
    const received = JSON.parse(data) as { type: string };
    if (received.type === "state") {
      this.tries = 0;
      this.state.value = received as unknown as LiveState;
    } else if (received.type === "refused") {
      this.refusal.value = (received as unknown as { message: string }).message;
    } else if (received.type === "ended") {
      const { isFinal, message } = received as unknown as Ended;
      this.isClosed = isFinal;
      this.state.value = undefined;
      this.message.value = message;
    }
  }

  /** Only the newest picture is drawn; each is acknowledged, so that the next may come. */
  private async draw(picture: Blob): Promise<void> {
    if (this.newest) this.say("seen");
    this.newest = picture;
    if (this.isDrawing) return;
    this.isDrawing = true;
    while (this.newest) {
      const next = this.newest;
      this.newest = undefined;
      await this.onPicture(next).catch(() => undefined); // half a picture: the next one is whole
      this.message.value = "";
      this.say("seen");
    }
    this.isDrawing = false;
  }
}

/** A secret of this tab, by which the service knows it again after a lost connection. */
function seatKey(): string {
  const kept = sessionStorage.getItem("pagehand.live");
  if (kept) return kept;
  const made = Array.from(crypto.getRandomValues(new Uint8Array(24)), (one) => one.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem("pagehand.live", made);
  return made;
}
