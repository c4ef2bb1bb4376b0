/** The events of one run, read once and then only what is new. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client";
import { onChange } from "../../api/events";
import type { Event } from "./steps";

const PAGE = 1000;
const AT_MOST_EVERY_MS = 300;

/** All events so far; undefined until the first page is there. */
export function useEvents(id: string): readonly Event[] | undefined {
  const [events, setEvents] = useState<readonly Event[]>();
  const known = useRef<Event[]>([]);
  useEffect(() => {
    known.current = [];
    let isReading = false;
    let isStale = false;
    let isGone = false;
    const read = async () => {
      isStale = true;
      if (isReading) return;
      isReading = true;
      try {
        while (isStale && !isGone) {
          isStale = false;
          await readRest(id, known.current);
          if (!isGone) setEvents([...known.current]);
        }
      } catch {
        if (!isGone) setEvents((before) => before ?? []); // the view says what is wrong when it reads the run itself
      } finally {
        isReading = false;
      }
    };
    void read();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onChange(["execution", "event"], (change) => {
      if (change.noun !== "*" && change.id && change.id !== id) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void read();
      }, AT_MOST_EVERY_MS);
    });
    return () => {
      isGone = true;
      stop();
      clearTimeout(timer);
    };
  }, [id]);
  return events;
}

/** All events of a run that somebody compares with. */
export async function allEvents(id: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  await readRest(id, events);
  return events;
}

async function readRest(id: string, events: Event[]): Promise<void> {
  for (;;) {
    const page = await call("/executions/events", { id, limit: PAGE, offset: events.length });
    events.push(...page.events);
    if (events.length >= page.total || page.events.length === 0) return;
  }
}
