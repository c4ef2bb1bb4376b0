/** The events of one run; after the first read only new ones are read. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client";
import { onChange } from "../../api/events";
import type { Event } from "./steps";

const PAGE_SIZE = 1000;
const MIN_INTERVAL_MS = 300;

/** All events so far; undefined until the first read is done. */
export function useEvents(id: string): readonly Event[] | undefined {
  const [events, setEvents] = useState<readonly Event[]>();
  const loaded = useRef<Event[]>([]);
  useEffect(() => {
    loaded.current = [];
    let isReading = false;
    let isStale = false;
    let isUnmounted = false;
    const read = async () => {
      isStale = true;
      if (isReading) return;
      isReading = true;
      try {
        while (isStale && !isUnmounted) {
          isStale = false;
          await newEvents(id, loaded.current);
          if (!isUnmounted) setEvents([...loaded.current]);
        }
      } catch {
        if (!isUnmounted) setEvents((before) => before ?? []); // the view shows the error of its own request for the run
      } finally {
        isReading = false;
      }
    };
    void read();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = onChange(["execution", "event"], (change) => {
      if (change.noun !== "*" && change.id && change.id !== id) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, MIN_INTERVAL_MS);
    });
    return () => {
      isUnmounted = true;
      unsubscribe();
      clearTimeout(timer);
    };
  }, [id]);
  return events;
}

/** Read all events of a run once. */
export async function allEvents(id: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  await newEvents(id, events);
  return events;
}

/** Read the events that are not in `events` yet into it. */
export async function newEvents(id: string, events: Event[]): Promise<void> {
  for (;;) {
    const page = await call("/executions/events", { id, limit: PAGE_SIZE, offset: events.length });
    events.push(...page.events);
    if (events.length >= page.total || page.events.length === 0) return;
  }
}
