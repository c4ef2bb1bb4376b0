/** Where the live picture lies on its stage: fitted to it, or zoomed in and moved. */
import { signal } from "@preact/signals";

const MAX_ZOOM = 8;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A point of the window, as events have it. */
export interface ClientPoint {
  readonly clientX: number;
  readonly clientY: number;
}

export class PictureView {
  readonly isZoomed = signal(false);
  private zoom = 1;
  private fit = 1;
  private x = 0;
  private y = 0;
  private stage!: HTMLElement;
  private picture!: HTMLElement;

  /** Keep the picture in place, whatever size it and its stage have; returns what ends this. */
  attach(stage: HTMLElement, picture: HTMLElement): () => void {
    this.stage = stage;
    this.picture = picture;
    const observer = new ResizeObserver(() => this.place());
    observer.observe(stage);
    observer.observe(picture);
    return () => observer.disconnect();
  }

  /** CSS pixels per pixel of the picture. */
  get scale(): number {
    return this.fit * this.zoom;
  }

  /** The point of a page of this size that a point of the window shows. */
  pointOf(at: ClientPoint, page: { width: number; height: number }): Point {
    const box = this.picture.getBoundingClientRect();
    const within = (share: number, length: number) =>
      Math.round(Math.min(length - 1, Math.max(0, share * length)) * 10) / 10;
    return {
      x: within((at.clientX - box.left) / box.width, page.width),
      y: within((at.clientY - box.top) / box.height, page.height),
    };
  }

  /** Zoom in to where a page can be read, or back out. */
  toggle(at?: ClientPoint): void {
    const room = this.stage.getBoundingClientRect();
    this.zoomBy(
      this.zoom > 1 ? 0 : Math.max(2, 0.8 / this.fit),
      at ?? { clientX: room.left + room.width / 2, clientY: room.top },
    );
  }

  /** Zoom so that what a point of the window shows stays there. */
  zoomBy(factor: number, at: ClientPoint): void {
    const room = this.stage.getBoundingClientRect();
    const before = this.scale;
    this.zoom = Math.min(MAX_ZOOM, Math.max(1, this.zoom * factor));
    const growth = this.scale / before;
    this.x = at.clientX - room.left - (at.clientX - room.left - this.x) * growth;
    this.y = at.clientY - room.top - (at.clientY - room.top - this.y) * growth;
    this.place();
  }

  /** Move the picture; returns how far it could not be moved. */
  moveBy(x: number, y: number): Point {
    const before = { x: this.x, y: this.y };
    this.x += x;
    this.y += y;
    this.place();
    return { x: x - (this.x - before.x), y: y - (this.y - before.y) };
  }

  private place(): void {
    const { offsetWidth: width, offsetHeight: height } = this.picture;
    const { clientWidth: stageWidth, clientHeight: stageHeight } = this.stage;
    this.stage.style.setProperty("--picture-ratio", `${width / height}`);
    this.fit = Math.max(0.05, Math.min(stageWidth / width, stageHeight / height));
    this.x = hold(this.x, width * this.scale, stageWidth, 0.5);
    this.y = hold(this.y, height * this.scale, stageHeight, 0);
    this.picture.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.isZoomed.value = this.zoom > 1;
  }
}

/** The nearest position at which a picture leaves no gap; a smaller one lies at `share` of the gap. */
function hold(at: number, size: number, room: number, share: number): number {
  return size <= room ? (room - size) * share : Math.min(0, Math.max(room - size, at));
}
