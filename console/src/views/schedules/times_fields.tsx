/** The fields that choose when a schedule starts, with its next times. */
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client";
import { useQuery } from "../../app/use_query";
import { CheckField, SelectField, TextField } from "../../design/field";
import { messageInWords } from "../../design/problem_scope";
import { cronOf, DAYS, RHYTHMS, type Times } from "./times";

const TYPING_PAUSE_MS = 300;
const DATES = Array.from({ length: 31 }, (_, at) => [`${at + 1}`, `${at + 1}`] as const);

interface Props {
  times: Times;
  timeZone: string;
  onTimes: (times: Times) => void;
  onTimeZone: (timeZone: string) => void;
}

export function TimesFields({ times, timeZone, onTimes, onTimeZone }: Props) {
  const { rhythm, time, days, date } = times;
  const set = (change: Partial<Times>) => onTimes({ ...times, ...change });
  const { value, problem } = usePreview(cronOf(times), timeZone);
  return (
    <>
      <SelectField
        label="How often"
        value={rhythm}
        onInput={(next) => set({ rhythm: next, cron: cronOf(times) || times.cron })}
        options={RHYTHMS}
      />
      {rhythm === "weekly" && (
        <fieldset class="schema-group days">
          <legend class="required">Days</legend>
          {DAYS.map(([day, label]) => (
            <CheckField
              key={day}
              label={label}
              checked={days.includes(day)}
              onInput={(isOn) => set({ days: isOn ? [...days, day] : days.filter((one) => one !== day) })}
            />
          ))}
        </fieldset>
      )}
      {rhythm === "monthly" && (
        <SelectField
          label="Day of the month"
          help="A month without this day is left out."
          value={date}
          onInput={(next) => set({ date: next })}
          options={[...DATES, ["L", "The last"]]}
        />
      )}
      {rhythm === "hourly" && (
        <TextField
          label="Minutes past the hour"
          type="number"
          value={String(Number(time.slice(3)))}
          onInput={(text) => set({ time: `00:${text}` })}
          required
        />
      )}
      {rhythm === "cron" ? (
        <TextField
          label="Cron"
          path="cron"
          help="Minute, hour, day of month, month, day of week: `30 8 * * MON-FRI` is 08:30 on working days."
          value={times.cron}
          onInput={(cron) => set({ cron })}
          problem={problem && messageInWords(problem, "Cron")}
          mono
          required
        />
      ) : (
        rhythm !== "hourly" && (
          <TextField label="At" type="time" value={time} onInput={(next) => set({ time: next })} required />
        )
      )}
      <SelectField
        label="Time zone"
        path="timeZone"
        value={timeZone}
        onInput={onTimeZone}
        options={[...new Set([timeZone, "UTC", ...Intl.supportedValuesOf("timeZone")])].map((one) => [one, one])}
      />
      {value && (
        <div class="small" role="status">
          <p>{`${value.times.description}. Next:`}</p>
          <NextTimes moments={value.times.nextRuns} timeZone={timeZone} />
        </div>
      )}
    </>
  );
}

/** When an expression comes, once nothing was typed for a moment. */
function usePreview(cron: string, timeZone: string) {
  const [asked, setAsked] = useState({ cron, timeZone });
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ cron, timeZone }), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [cron, timeZone]);
  const found = useQuery(`times ${asked.cron} ${asked.timeZone}`, () =>
    asked.cron ? call("/schedules/preview", asked) : Promise.resolve(undefined),
  );
  return asked.cron === cron && asked.timeZone === timeZone ? found : { value: undefined, problem: undefined };
}

/** Moments in the schedule's time zone. */
export function NextTimes({ moments, timeZone }: { moments: readonly string[]; timeZone: string }) {
  const format = new Intl.DateTimeFormat(undefined, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  });
  return (
    <ol class="small next-times" aria-label="Next times">
      {moments.map((one) => (
        <li key={one}>
          <time dateTime={one}>{format.format(new Date(one))}</time>
        </li>
      ))}
    </ol>
  );
}
