/** A list that grows as it is scrolled: what nobody has come near is not in the document. */
import { useEffect, useRef, useState } from "preact/hooks";

const STEP = 100;
const NEAR = "1200px";

/** How many of `count` items to show, and what to put behind the last of them to see when it comes near. */
export function useGrowing<E extends Element>(count: number): { shown: number; end: { current: E | null } } {
  const [most, setMost] = useState(STEP);
  const end = useRef<E>(null);
  const hasMore = most < count;
  useEffect(() => {
    if (!hasMore || !end.current) return;
    const seer = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && setMost((before) => before + STEP), { rootMargin: NEAR });
    seer.observe(end.current);
    return () => seer.disconnect();
  }, [most, hasMore]);
  return { shown: Math.min(most, count), end };
}
