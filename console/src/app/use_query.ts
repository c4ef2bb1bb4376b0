/** A hook that reads from the API: the latest answer wins, changes trigger another read, errors become text. */
import { useEffect, useRef, useState } from "preact/hooks";
import { errorMessage } from "../api/client";
import { onChange, type Change } from "../api/events";

export interface QueryResult<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  readonly refetch: () => void;
}

const MIN_INTERVAL_MS = 400;

interface Options {
  /** Changes to these trigger another read. */
  nouns?: readonly string[];
  /** Narrows `nouns`: only changes for which it is true trigger a read. */
  concerns?: (change: Change) => boolean;
  /** Another query's value. This one reads after it, so it never asks for an item that the list has lost. */
  after?: unknown;
}

/** Read when `key` changes and after changes to `nouns`; a burst of changes causes one read. */
export function useQuery<T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  { nouns = [], concerns, after }: Options = {},
): QueryResult<T> {
  const [state, setState] = useState<{ key: string; value?: T; problem?: string }>({ key });
  const [version, setVersion] = useState(0);
  const refetch = () => setVersion((before) => before + 1);
  const latestRead = useRef(read);
  latestRead.current = read;
  useEffect(() => {
    const abort = new AbortController();
    latestRead.current(abort.signal).then(
      (value) => {
        // an older answer can arrive after a newer one
        if (!abort.signal.aborted) setState({ key, value });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState((before) => ({ ...(before.key === key ? before : { key }), problem: errorMessage(error) }));
      },
    );
    return () => abort.abort();
  }, [key, version, after]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = onChange(nouns, (change) => {
      if (change.noun !== "*" && concerns && !concerns(change)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        refetch();
      }, MIN_INTERVAL_MS);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [key, nouns.join()]);
  const current = state.key === key ? state : { key };
  return { value: current.value, problem: current.problem, refetch };
}
