/** Mouse and keyboard on the picture of a page, in the words the live view's socket takes. */
import type { LiveConnection } from "./connection";

const BUTTONS = ["left", "middle", "right"] as const;
const DOUBLE_CLICK_MS = 450;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where on the page somebody points. */
export function pointOf(event: { clientX: number; clientY: number }, canvas: HTMLCanvasElement, size: { width: number; height: number }): Point {
  const box = canvas.getBoundingClientRect();
  const within = (at: number, most: number) => Math.round(Math.min(most - 1, Math.max(0, at)) * 10) / 10;
  return { x: within(((event.clientX - box.left) / box.width) * size.width, size.width), y: within(((event.clientY - box.top) / box.height) * size.height, size.height) };
}

/** Says what the mouse and the keys do, while this tab has control. */
export class Input {
  private last = { at: 0, x: 0, y: 0, button: -1, count: 0 };
  private moved: PointerEvent | undefined;

  constructor(
    private readonly connection: LiveConnection,
    private readonly canvas: () => HTMLCanvasElement | null,
  ) {}

  down(event: PointerEvent): void {
    if (event.button > 2) return;
    this.moved = undefined;
    const button = BUTTONS[event.button as 0 | 1 | 2];
    this.mouse("down", event, { button, buttons: event.buttons & 7, clicks: this.clicks(event) });
  }

  up(event: PointerEvent): void {
    if (event.button > 2) return;
    this.moved = undefined;
    this.mouse("up", event, { button: BUTTONS[event.button as 0 | 1 | 2], buttons: event.buttons & 7, clicks: this.last.count });
  }

  /** Once per picture is enough. */
  move(event: PointerEvent): void {
    if (!this.moved) {
      requestAnimationFrame(() => {
        const at = this.moved;
        this.moved = undefined;
        if (at) this.mouse("move", at, { buttons: at.buttons & 7, button: at.buttons & 1 ? "left" : "none" });
      });
    }
    this.moved = event;
  }

  wheel(event: WheelEvent): void {
    const unit = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 400 : 1;
    this.mouse("wheel", event, { deltaX: event.deltaX * unit, deltaY: event.deltaY * unit });
  }

  key(kind: "down" | "up", event: KeyboardEvent): void {
    const isCommand = event.ctrlKey || event.metaKey;
    const isTyped = event.key.length === 1 && (!isCommand || event.getModifierState("AltGraph"));
    this.connection.say("key", {
      kind,
      key: event.key.slice(0, 64),
      code: event.code.slice(0, 64),
      keyCode: event.keyCode & 255,
      modifiers: modifiers(event),
      location: event.location,
      isRepeat: event.repeat,
      text: kind === "up" ? "" : event.key === "Enter" ? "\r" : isTyped ? event.key : "",
    });
  }

  private mouse(kind: string, event: MouseEvent, more: object): void {
    const canvas = this.canvas();
    const state = this.connection.state.value;
    if (!canvas || !state || !this.connection.drives) return;
    this.connection.say("mouse", { kind, ...pointOf(event, canvas, state), modifiers: modifiers(event), ...more });
  }

  private clicks(event: PointerEvent): number {
    const isNear = Math.abs(event.clientX - this.last.x) < 6 && Math.abs(event.clientY - this.last.y) < 6;
    const isAgain = event.timeStamp - this.last.at < DOUBLE_CLICK_MS && isNear && event.button === this.last.button;
    const count = isAgain ? Math.min(3, this.last.count + 1) : 1;
    this.last = { at: event.timeStamp, x: event.clientX, y: event.clientY, button: event.button, count };
    return count;
  }
}

function modifiers(event: MouseEvent | KeyboardEvent): number {
  return (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);
}
