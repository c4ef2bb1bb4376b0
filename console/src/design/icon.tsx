/** The few icons the console uses, drawn here on a 16 × 16 grid; always beside a word or under a label. */
const PATHS = {
  overview: "M2 9h5V2H2zM9 14h5V7H9zM2 14h5v-3H2zM9 5h5V2H9z",
  executions: "M3 4h10M3 8h10M3 12h6",
  workflows: "M3 3h4v3H3zM9 10h4v3H9zM5 6v5.5h4",
  attention: "M8 2v7M8 12v1.5",
  logins: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.6-3 2.800-4.500 5.500-4.500s4.900 1.500 5.500 4.500",
  batches: "M2 5l6-3 6 3-6 3zM2 8.500l6 3 6-3M2 12l6 3 6-3",
  schedules: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.500V8l2.500 1.500",
  webhooks: "M6 10a3 3 0 1 1-2-5M10 6a3 3 0 1 1 1 5.500M6 8h5",
  files: "M4 2h5l3 3v9H4zM9 2v3h3",
  knowledge: "M3 3h4a1 1 0 0 1 1 1v9a1 1 0 0 0-1-1H3zM13 3H9a1 1 0 0 0-1 1v9a1 1 0 0 1 1-1h4z",
  settings: "M3 5h6M12 5h1M3 11h1M7 11h6M10.500 3.500v3M5.500 9.500v3",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.500l3.500 3.500L13 4.500",
  right: "M6 3l5 5-5 5",
  down: "M3 6l5 5 5-5",
  plus: "M8 3v10M3 8h10",
  retry: "M13 8a5 5 0 1 1-1.500-3.500M13 2v3h-3",
  stop: "M4 4h8v8H4z",
  pause: "M5 3v10M11 3v10",
  play: "M5 3l8 5-8 5z",
  download: "M8 2v8M4.500 7L8 10.500 11.500 7M3 13.500h10",
  upload: "M8 11V3M4.500 6L8 2.500 11.500 6M3 13.500h10",
  describe: "M3 3h10v7.500H7.500L4.500 13v-2.500H3z",
  compare: "M6.500 3H2.500v10h4M9.500 3h4v10h-4M8 1.500v13",
  rename: "M3 13l.8-3L11 2.800 13.200 5 6 12.200z",
  copy: "M5 5h8v8H5zM3 11V3h8",
  trash: "M3 4.500h10M6 4.500V3h4v1.500M4.500 4.500l.6 9h5.800l.6-9",
  undo: "M6 4L3 7l3 3M3 7h6a4 4 0 0 1 0 8",
  redo: "M10 4l3 3-3 3M13 7H7a4 4 0 0 0 0 8",
  pick: "M8 2v3M8 11v3M2 8h3M11 8h3M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  record: "M8 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  moon: "M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500z",
  menu: "M2 4h12M2 8h12M2 12h12",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3",
  outside: "M9 2.500h4.500V7M13.500 2.500L7.500 8.500M6.500 3.500h-4v10h10v-4",
  keyboard: "M1.500 4h13v8h-13zM4 6.500h.01M6.700 6.500h.01M9.300 6.500h.01M12 6.500h.01M5 9.500h6",
  up: "M3 10l5-5 5 5",
  full: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
