/** A bar chart of executions per day, by outcome. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Schemas } from "../../api/client";
import { isDark } from "../../app/theme";

type Days = Schemas["StatisticsAnswer"]["statistics"]["days"];

const HEIGHT = 200;
const OUTCOMES = [
  { name: "completed", label: "Completed", colour: "--chart-good" },
  { name: "failed", label: "Failed", colour: "--chart-bad" },
  { name: "other", label: "Not finished", colour: "--chart-other" },
] as const;

export function Chart({ days }: { days: Days }) {
  const container = useRef<HTMLDivElement>(null);
  const dark = isDark.value;
  useEffect(() => {
    const box = container.current!;
    const plot = new uPlot(optionsFor(days, box), stackedSeries(days), box);
    const sizes = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }));
    sizes.observe(box);
    return () => {
      sizes.disconnect();
      plot.destroy();
    };
  }, [JSON.stringify(days), dark]);
  return (
    <figure class="chart-figure">
      <div class="chart" ref={container} role="img" aria-label={describe(days)} />
      <figcaption class="row small">
        {OUTCOMES.map(({ name, label }) => (
          <span key={name} class="row">
            <span class={`swatch ${name}`} aria-hidden="true" />
            {label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** Later series are drawn over earlier ones: all, then all finished ones, then the completed ones. */
function stackedSeries(days: Days): uPlot.AlignedData {
  return [
    days.map((_, index) => index),
    days.map((day) => day.completed + day.failed + day.other),
    days.map((day) => day.completed + day.failed),
    days.map((day) => day.completed),
  ];
}

function optionsFor(days: Days, box: HTMLElement): uPlot.Options {
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const bars = uPlot.paths.bars!({ size: [0.7, 36] });
  const series = [...OUTCOMES].reverse().map((one) => ({
    fill: colour(one.colour),
    stroke: colour(one.colour),
    width: 0,
    paths: bars,
    points: { show: false },
  }));
  const axis = { stroke: colour("--ink-3"), font: `12px ${colour("--font")}`, ticks: { show: false } };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [-0.6, days.length - 0.4] },
      y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] },
    },
    series: [{}, ...series],
    axes: [
      { ...axis, size: 32, grid: { show: false }, values: (_, at) => at.map((index) => formatDay(days[index]?.date)) },
      {
        ...axis,
        size: 44,
        grid: { stroke: colour("--line"), width: 1 },
        values: (_, at) => at.map((value) => (Number.isInteger(value) ? String(value) : "")),
      },
    ],
  };
}

function formatDay(date: string | undefined): string {
  return date
    ? new Date(`${date}T00:00:00Z`).toLocaleDateString("en", { day: "numeric", month: "short", timeZone: "UTC" })
    : "";
}

/** The chart as text, for screen readers. */
function describe(days: Days): string {
  const shown = days
    .filter((day) => day.completed + day.failed + day.other > 0)
    .map((day) => `${formatDay(day.date)}: ${day.completed} completed, ${day.failed} failed`);
  return `Executions per day. ${shown.join("; ") || `None in the last ${days.length} days`}`;
}
