/** When a schedule starts: as people choose it, and as the cron expression behind it. */

export const RHYTHMS = [
  ["weekdays", "Every weekday, Monday to Friday"],
  ["daily", "Every day"],
  ["weekly", "On days of the week"],
  ["monthly", "Every month"],
  ["hourly", "Every hour"],
  ["cron", "By a cron expression"],
] as const;
export const DAYS = [
  ["MON", "Monday"],
  ["TUE", "Tuesday"],
  ["WED", "Wednesday"],
  ["THU", "Thursday"],
  ["FRI", "Friday"],
  ["SAT", "Saturday"],
  ["SUN", "Sunday"],
] as const;
const WEEKDAYS = /^(MON-FRI|1-5)$/i;
const NUMBERED = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"];

export interface Times {
  readonly rhythm: (typeof RHYTHMS)[number][0];
  /** "07:30"; every hour only the minute counts. */
  readonly time: string;
  readonly days: readonly string[];
  /** "1" to "31", or "L" for the last. */
  readonly date: string;
  /** The expression itself, for times that no choice describes. */
  readonly cron: string;
}

export function timesOf(cron: string): Times {
  const [minute = "", hour = "", date = "", month = "", weekdays = "", ...more] = cron.trim().split(/\s+/);
  const days = weekdays.split(",").map((one) => (/^[0-7]$/.test(one) ? NUMBERED[Number(one)]! : one.toUpperCase()));
  const other: Times = { rhythm: "cron", time: "09:00", days: ["MON"], date: "1", cron };
  const isFixed = /^\d+$/.test(minute) && /^(\d+|\*)$/.test(hour) && month === "*" && more.length === 0;
  if (!isFixed) return other;
  const time = `${hour.replace("*", "0").padStart(2, "0")}:${minute.padStart(2, "0")}`;
  const isDaily = date === "*" && weekdays === "*";
  if (hour === "*") return isDaily ? { ...other, rhythm: "hourly", time } : other;
  if (isDaily) return { ...other, rhythm: "daily", time };
  if (weekdays === "*") return /^(\d+|L)$/.test(date) ? { ...other, rhythm: "monthly", time, date } : other;
  if (date !== "*") return other;
  if (WEEKDAYS.test(weekdays)) return { ...other, rhythm: "weekdays", time };
  return days.every((one) => NUMBERED.includes(one)) ? { ...other, rhythm: "weekly", time, days } : other;
}

/** The cron expression; empty while something is missing. */
export function cronOf({ rhythm, time, days, date, cron }: Times): string {
  const [hour, minute] = time.split(":").map(Number);
  if (rhythm === "cron") return cron.trim();
  if (hour === undefined || minute === undefined || Number.isNaN(hour + minute)) return "";
  if (rhythm === "hourly") return `${minute} * * * *`;
  if (rhythm === "monthly") return `${minute} ${hour} ${date} * *`;
  if (rhythm === "daily") return `${minute} ${hour} * * *`;
  const chosen = rhythm === "weekdays" ? "MON-FRI" : DAYS.flatMap(([day]) => (days.includes(day) ? [day] : [])).join();
  return chosen && `${minute} ${hour} * * ${chosen}`;
}
