/** Infinite scroll for a list that is already loaded: items far below the window are not in the document. */
import { useEffect, useRef, useState } from "preact/hooks";

const STEP = 100;
const PRELOAD_MARGIN = "1200px";

/** How many of `count` items to render. Put `sentinel` behind the last of them: near the window, it adds more. */
export function useInfiniteScroll<E extends Element>(
  count: number,
): { visibleCount: number; sentinel: { current: E | null } } {
  const [limit, setLimit] = useState(STEP);
  const sentinel = useRef<E>(null);
  const hasMore = limit < count;
  useEffect(() => {
    if (!hasMore || !sentinel.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setLimit((before) => before + STEP),
      { rootMargin: PRELOAD_MARGIN },
    );
    observer.observe(sentinel.current);
    return () => observer.disconnect();
  }, [limit, hasMore]);
  return { visibleCount: Math.min(limit, count), sentinel };
}
