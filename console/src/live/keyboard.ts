/** Sends keys to the page. A hidden field receives them, with pasted text and the text of input methods and on-screen keyboards. */
import { signal } from "@preact/signals";
import type { LiveConnection } from "./connection";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
export const isTouch = matchMedia("(pointer: coarse)").matches;
/** What the field holds when nothing was typed: without it, a Backspace of an on-screen keyboard would change nothing. */
const EMPTY = "  ";
const MAX_LENGTH = 200;

export interface Modifiers {
  readonly altKey?: boolean;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly shiftKey?: boolean;
}

/** The pressed modifier keys in the service's numbers; Cmd counts as Ctrl, because the browser does not run on a Mac. */
export function modifiersOf(event: Modifiers): number {
  const isControl = event.ctrlKey || (isMac && event.metaKey);
  return (event.altKey ? 1 : 0) | (isControl ? 2 : 0) | (!isMac && event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);
}

export class KeyboardForwarder {
  readonly isFocused = signal(false);
  private field!: HTMLTextAreaElement;
  private before = EMPTY;

  constructor(private readonly connection: LiveConnection) {}

  /** Forward what this field receives; `onLeave` is called for F6. Returns what ends this. */
  attach(field: HTMLTextAreaElement, onLeave: () => void): () => void {
    this.field = field;
    const stop = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(type: K, handler: (event: HTMLElementEventMap[K]) => void) =>
      field.addEventListener(type, handler, { signal: stop.signal });
    on("focus", () => (this.isFocused.value = true));
    on("blur", () => (this.isFocused.value = false));
    on("keydown", (event) => {
      event.stopPropagation(); // the console's shortcuts
      if (event.key !== "F6") return this.keyDown(event);
      event.preventDefault();
      onLeave();
    });
    on("keyup", (event) => this.keyUp(event));
    on("paste", (event) => this.paste(event));
    on("input", (event) => this.input(event as InputEvent));
    on("compositionend", () => {
      if (isTouch) return;
      this.sendTyped();
      this.clear();
    });
    return () => stop.abort();
  }

  /** Let the page have the keys; on a touch screen only if the on-screen keyboard is open. */
  focus(): void {
    if (!isTouch || this.isFocused.value) this.open();
  }

  /** Open or close the on-screen keyboard. */
  toggle(): void {
    if (this.isFocused.value) this.field.blur();
    else this.open();
  }

  blur(): void {
    this.field.blur();
  }

  private open(): void {
    this.field.focus({ preventScroll: true });
    this.clear();
  }

  private clear(): void {
    this.field.value = this.before = EMPTY;
    this.field.setSelectionRange(EMPTY.length, EMPTY.length);
  }

  private keyDown(event: KeyboardEvent): void {
    if (!this.connection.isDriving || isComposed(event) || event.key === "Dead" || isPaste(event)) return;
    event.preventDefault();
    const isTyped = event.key.length === 1 && (!(event.ctrlKey || event.metaKey) || event.getModifierState("AltGraph"));
    this.send("down", event, event.key === "Enter" ? "\r" : isTyped ? event.key : "");
    // macOS sends no `keyup` for a key that was pressed with Cmd
    if (isMac && event.metaKey && event.key !== "Meta") this.send("up", event);
  }

  private keyUp(event: KeyboardEvent): void {
    if (!this.connection.isDriving || isComposed(event) || isPaste(event)) return;
    event.preventDefault();
    this.send("up", event);
  }

  private send(kind: "down" | "up", event: KeyboardEvent, text = ""): void {
    const isCommand = isMac && event.key === "Meta";
    this.connection.send("key", {
      kind,
      key: isCommand ? "Control" : event.key.slice(0, 64),
      code: isCommand ? "ControlLeft" : event.code.slice(0, 64),
      keyCode: isCommand ? 17 : event.keyCode & 255,
      // AltGr arrives as Ctrl and Alt, which would make a shortcut of the character
      modifiers: event.getModifierState("AltGraph") ? modifiersOf(event) & 8 : modifiersOf(event),
      location: event.location,
      isRepeat: event.repeat,
      text,
    });
  }

  private press(key: string, keyCode: number, text = ""): void {
    for (const kind of ["down", "up"])
      this.connection.send("key", { kind, key, code: key, keyCode, text: kind === "down" ? text : "" });
  }

  private paste(event: ClipboardEvent): void {
    event.preventDefault();
    const text = event.clipboardData?.getData("text/plain").slice(0, 100_000);
    if (text && this.connection.isDriving) this.connection.send("text", { text });
    this.clear();
  }

  private input(event: InputEvent): void {
    if (event.isComposing && !isTouch) return;
    this.sendTyped();
    const { length } = this.field.value;
    if (!event.isComposing && (length > MAX_LENGTH || length < EMPTY.length)) this.clear();
  }

  /** Send the difference to what the field held before: on-screen keyboards correct what they have typed. */
  private sendTyped(): void {
    if (!this.connection.isDriving) return this.clear();
    const now = this.field.value;
    let same = 0;
    while (same < this.before.length && same < now.length && this.before[same] === now[same]) same += 1;
    for (let left = this.before.length - same; left > 0; left -= 1) this.press("Backspace", 8);
    for (const [index, line] of now.slice(same).split("\n").entries()) {
      if (index) this.press("Enter", 13, "\r");
      if (line) this.connection.send("text", { text: line });
    }
    this.before = now;
  }
}

/** Whether an input method or an on-screen keyboard made the key: its text comes as input. */
function isComposed(event: KeyboardEvent): boolean {
  return event.isComposing || event.key === "Unidentified" || event.key === "Process" || event.keyCode === 229;
}

/** Whether the text comes with a `paste` event. */
function isPaste(event: KeyboardEvent): boolean {
  return (
    ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") || (event.shiftKey && event.key === "Insert")
  );
}
