/** Turns mouse and keyboard events on the live picture into messages to the service. */
import type { LiveConnection } from "./connection";

const BUTTONS = ["left", "middle", "right"] as const;
const DOUBLE_CLICK_MS = 450;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The point of the page that an event on the canvas refers to. */
export function pointOf(event: { clientX: number; clientY: number }, canvas: HTMLCanvasElement, size: { width: number; height: number }): Point {
  const box = canvas.getBoundingClientRect();
  const clamp = (at: number, length: number) => Math.round(Math.min(length - 1, Math.max(0, at)) * 10) / 10;
  return { x: clamp(((event.clientX - box.left) / box.width) * size.width, size.width), y: clamp(((event.clientY - box.top) / box.height) * size.height, size.height) };
}

/** Forwards mouse and keyboard events while this tab is in control. */
export class InputForwarder {
  private last = { at: 0, x: 0, y: 0, button: -1, count: 0 };
  private lastMove: PointerEvent | undefined;

  constructor(
    private readonly connection: LiveConnection,
    private readonly canvas: () => HTMLCanvasElement | null,
  ) {}

  down(event: PointerEvent): void {
    if (event.button > 2) return;
    this.lastMove = undefined;
    const button = BUTTONS[event.button as 0 | 1 | 2];
    this.sendMouse("down", event, { button, buttons: event.buttons & 7, clicks: this.countClicks(event) });
  }

  up(event: PointerEvent): void {
    if (event.button > 2) return;
    this.lastMove = undefined;
    this.sendMouse("up", event, { button: BUTTONS[event.button as 0 | 1 | 2], buttons: event.buttons & 7, clicks: this.last.count });
  }

  /** At most one message per frame. */
  move(event: PointerEvent): void {
    if (!this.lastMove) {
      requestAnimationFrame(() => {
        const at = this.lastMove;
        this.lastMove = undefined;
        if (at) this.sendMouse("move", at, { buttons: at.buttons & 7, button: at.buttons & 1 ? "left" : "none" });
      });
    }
    this.lastMove = event;
  }

  wheel(event: WheelEvent): void {
    const unit = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 400 : 1;
    this.sendMouse("wheel", event, { deltaX: event.deltaX * unit, deltaY: event.deltaY * unit });
  }

  key(kind: "down" | "up", event: KeyboardEvent): void {
    const isCommand = event.ctrlKey || event.metaKey;
    const isTyped = event.key.length === 1 && (!isCommand || event.getModifierState("AltGraph"));
    this.connection.send("key", {
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

  private sendMouse(kind: string, event: MouseEvent, more: object): void {
    const canvas = this.canvas();
    const state = this.connection.state.value;
    if (!canvas || !state || !this.connection.isDriving) return;
    this.connection.send("mouse", { kind, ...pointOf(event, canvas, state), modifiers: modifiers(event), ...more });
  }

  private countClicks(event: PointerEvent): number {
    const isNear = Math.abs(event.clientX - this.last.x) < 6 && Math.abs(event.clientY - this.last.y) < 6;
    const isRepeated = event.timeStamp - this.last.at < DOUBLE_CLICK_MS && isNear && event.button === this.last.button;
    const count = isRepeated ? Math.min(3, this.last.count + 1) : 1;
    this.last = { at: event.timeStamp, x: event.clientX, y: event.clientY, button: event.button, count };
    return count;
  }
}

function modifiers(event: MouseEvent | KeyboardEvent): number {
  return (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);
}
