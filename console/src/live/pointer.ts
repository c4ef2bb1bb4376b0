/** Turns mouse and touch events on the live picture into messages to the service. */
import type { LiveConnection } from "./connection";
import { modifiersOf, type Modifiers } from "./keyboard";
import type { ClientPoint, PictureView } from "./picture_view";

const BUTTONS = ["left", "middle", "right"] as const;
const DOUBLE_CLICK_MS = 450;
const DRAG_PIXELS = 10;

interface Pinch extends ClientPoint {
  readonly width: number;
}

/** Forwards the mouse while this tab is in control; one finger taps and drags, two scroll and zoom. */
export class PointerForwarder {
  private last = { at: 0, x: 0, y: 0, button: -1, count: 0 };
  private lastMove: PointerEvent | undefined;
  private readonly fingers = new Map<number, PointerEvent>();
  private tap: { readonly start: PointerEvent; isDrag: boolean } | undefined;
  private pinch: Pinch | undefined;

  constructor(
    private readonly connection: LiveConnection,
    private readonly view: PictureView,
  ) {}

  down(event: PointerEvent): void {
    if (event.pointerType === "touch") return this.touchDown(event);
    if (event.button > 2) return;
    this.lastMove = undefined;
    this.send("down", event, {
      button: BUTTONS[event.button as 0 | 1 | 2],
      buttons: event.buttons & 7,
      clicks: this.countClicks(event),
    });
  }

  up(event: PointerEvent): void {
    if (event.pointerType === "touch") return this.touchUp(event);
    if (event.button > 2) return;
    this.lastMove = undefined;
    this.send("up", event, {
      button: BUTTONS[event.button as 0 | 1 | 2],
      buttons: event.buttons & 7,
      clicks: this.last.count,
    });
  }

  /** At most one message per frame. */
  move(event: PointerEvent): void {
    if (event.pointerType === "touch") return this.touchMove(event);
    if (!this.lastMove) {
      requestAnimationFrame(() => {
        const at = this.lastMove;
        this.lastMove = undefined;
        if (at) this.send("move", at, { buttons: at.buttons & 7, button: at.buttons & 1 ? "left" : "none" });
      });
    }
    this.lastMove = event;
  }

  wheel(event: WheelEvent): void {
    const unit = event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 400 : 1;
    this.send("wheel", event, { deltaX: event.deltaX * unit, deltaY: event.deltaY * unit });
  }

  /** Scroll what is at a point of the page, in its own pixels. */
  scroll(x: number, y: number, down: number): void {
    if (this.connection.isDriving) this.connection.send("mouse", { kind: "wheel", x, y, deltaY: down });
  }

  /** Zoom in to where the user pointed last, or back out. */
  zoom(): void {
    this.view.toggle(this.last.at ? { clientX: this.last.x, clientY: this.last.y } : undefined);
  }

  private touchDown(event: PointerEvent): void {
    this.fingers.set(event.pointerId, event);
    if (this.fingers.size === 1) {
      this.tap = { start: event, isDrag: false };
      return;
    }
    if (this.tap?.isDrag) this.send("up", event, { button: "left", clicks: 1 });
    this.tap = undefined;
    this.pinch = this.currentPinch();
  }

  private touchMove(event: PointerEvent): void {
    if (!this.fingers.has(event.pointerId)) return;
    this.fingers.set(event.pointerId, event);
    if (this.fingers.size === 2 && this.pinch) return this.zoomAndScroll(this.pinch);
    const tap = this.tap;
    if (!tap) return;
    if (!tap.isDrag && Math.hypot(event.clientX - tap.start.clientX, event.clientY - tap.start.clientY) > DRAG_PIXELS) {
      tap.isDrag = true;
      this.send("move", tap.start);
      this.send("down", tap.start, { button: "left", buttons: 1, clicks: 1 });
    }
    if (tap.isDrag) this.send("move", event, { button: "left", buttons: 1 });
  }

  /** A finger was lifted, or (`isCancelled`) taken over by the browser. */
  touchUp(event: PointerEvent, isCancelled = false): void {
    this.fingers.delete(event.pointerId);
    if (this.fingers.size < 2) this.pinch = undefined;
    const tap = this.tap;
    if (!tap || this.fingers.size) return;
    this.tap = undefined;
    if (tap.isDrag) this.send("up", event, { button: "left", clicks: 1 });
    else if (!isCancelled) {
      const clicks = this.countClicks(event);
      this.send("move", event);
      this.send("down", event, { button: "left", buttons: 1, clicks });
      this.send("up", event, { button: "left", clicks });
    }
  }

  private currentPinch(): Pinch | undefined {
    const [a, b] = this.fingers.values();
    if (!a || !b) return undefined;
    const width = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    return { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2, width };
  }

  private zoomAndScroll(before: Pinch): void {
    const now = this.currentPinch();
    if (!now) return;
    if (Math.abs(now.width / before.width - 1) > 0.02) this.view.zoomBy(now.width / before.width, now);
    // what the picture cannot be moved any further, the page is scrolled
    const rest = this.view.moveBy(now.clientX - before.clientX, now.clientY - before.clientY);
    if (Math.abs(rest.x) > 0.5 || Math.abs(rest.y) > 0.5)
      this.send("wheel", now, { deltaX: -rest.x / this.view.scale, deltaY: -rest.y / this.view.scale });
    this.pinch = now;
  }

  private send(kind: string, at: ClientPoint & Modifiers, more: object = {}): void {
    const state = this.connection.state.value;
    if (!state || !this.connection.isDriving) return;
    this.connection.send("mouse", { kind, ...this.view.pointOf(at, state), modifiers: modifiersOf(at), ...more });
  }

  private countClicks(event: PointerEvent): number {
    const isNear = Math.abs(event.clientX - this.last.x) < 6 && Math.abs(event.clientY - this.last.y) < 6;
    const isRepeated = event.timeStamp - this.last.at < DOUBLE_CLICK_MS && isNear && event.button === this.last.button;
    const count = isRepeated ? Math.min(3, this.last.count + 1) : 1;
    this.last = { at: event.timeStamp, x: event.clientX, y: event.clientY, button: event.button, count };
    return count;
  }
}
