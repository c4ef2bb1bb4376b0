/** Pointing without a mouse: arrow keys move a crosshair over the picture, Enter picks the point. */
import { useEffect, useState } from "preact/hooks";

const STEP = 16;
const FINE_STEP = 2;
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** How much of the window these keys scroll. */
const PAGES: Readonly<Record<string, number>> = { PageUp: -0.8, PageDown: 0.8 };

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Target {
  readonly onMove: (x: number, y: number) => void;
  readonly onPoint: (x: number, y: number) => void;
}

type Scroll = (x: number, y: number, down: number) => void;

/** The crosshair's position; `onKey` returns whether it handled the key. */
export function usePointerKeys(
  target: Target | undefined,
  size: { width: number; height: number } | undefined,
  scroll: Scroll,
) {
  const [at, setAt] = useState<Point>();
  const isPointing = target !== undefined;
  useEffect(() => setAt(undefined), [isPointing]);
  const onKey = (event: KeyboardEvent): boolean => {
    if (!target || !size) return false;
    const from = at ?? { x: Math.round(size.width / 2), y: Math.round(size.height / 2) };
    const direction = DIRECTIONS[event.key];
    if (direction) {
      const step = event.shiftKey ? FINE_STEP : STEP;
      const to = {
        x: clamp(from.x + direction[0] * step, size.width),
        y: clamp(from.y + direction[1] * step, size.height),
      };
      setAt(to);
      target.onMove(to.x, to.y);
    } else if (event.key in PAGES) scroll(from.x, from.y, PAGES[event.key]! * size.height);
    else if (event.key === "Enter" || event.key === " ") target.onPoint(from.x, from.y);
    else return false;
    return true;
  };
  return { at, onKey };
}

function clamp(value: number, size: number): number {
  return Math.min(size - 1, Math.max(0, value));
}
