/** Reading from the service into a view: the newest answer wins, changes read again, a refusal is shown. */
import { useEffect, useRef, useState } from "preact/hooks";
import { sentence } from "../api/client";
import { onChange, type Change } from "../api/events";

export interface Reading<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  readonly again: () => void;
}

const AT_MOST_EVERY_MS = 400;

interface Options {
  nouns?: readonly string[];
  concerns?: (change: Change) => boolean;
  /**
   * What was read of the list that this belongs to. It is read again after the list was, so that nobody asks
   * for a thing that the list no longer has.
   */
  after?: unknown;
}

/**
 * Read when `key` changes and whenever something of `nouns` does.
 * Changes that come in a burst are answered with one reading.
 */
export function useReading<T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  { nouns = [], concerns, after }: Options = {},
): Reading<T> {
  const [state, setState] = useState<{ key: string; value?: T; problem?: string }>({ key });
  const [turn, setTurn] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const abort = new AbortController();
    latest.current(abort.signal).then(
      (value) => {
        // an older answer may come after a newer one
        if (!abort.signal.aborted) setState({ key, value });
      },
      (trouble: unknown) => {
        if (abort.signal.aborted) return;
        setState((before) => ({ ...(before.key === key ? before : { key }), problem: sentence(trouble) }));
      },
    );
    return () => abort.abort();
  }, [key, turn, after]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange(nouns, (change) => {
      if (change.noun !== "*" && concerns && !concerns(change)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        setTurn((before) => before + 1);
      }, AT_MOST_EVERY_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [key, nouns.join()]);
  const fresh = state.key === key ? state : { key };
  return { value: fresh.value, problem: fresh.problem, again: () => setTurn((before) => before + 1) };
}
