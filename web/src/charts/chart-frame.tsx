import {
  type LineCustomSvgLayer,
  type LineCustomSvgLayerProps,
  type LineSeries,
  type LineSvgProps,
  ResponsiveLine,
} from "@nivo/line";
import type { PartialTheme } from "@nivo/theming";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatDateTime, formatDuration, formatLocalDay, formatTime } from "../lib/format.ts";
import { MaintenanceMark } from "../ui/badge.tsx";
import { ChartCursor } from "./chart-cursor.tsx";
import { type Band, isolatedPoints, maintenanceBands, timeTicks } from "./scales.ts";
import type { LineLook } from "./series.tsx";

/** One step: `start` as epoch milliseconds. */
export type ChartStep = { start: number; inMaintenance: boolean };
/** A line of a tooltip. */
type TipLine = { id: string; mark: ReactNode; label: string; valueMs: number | null };

type ChartFrameProps<Series extends LineSeries> = {
  steps: readonly ChartStep[];
  stepSeconds: number;
  label: string;
  compact: boolean;
  data: readonly Series[];
  /** Of the scale, in milliseconds. */
  top: number;
  /** Draw the series; positions are null where there is no data. */
  layers: readonly LineCustomSvgLayer<Series>[];
  linesOf: (step: number) => readonly TipLine[];
};

const twoDaysMs = 2 * 86_400_000;

/** Response times over time: the axes, what is in maintenance, and the cursor; the layers draw the figures. */
export function ChartFrame<Series extends LineSeries>(props: ChartFrameProps<Series>) {
  const { steps, stepSeconds, label, compact, data, top, layers, linesOf } = props;
  const { language } = useTranslation().i18n;
  const from = steps[0]?.start ?? 0;
  const to = steps.at(-1)?.start ?? from;
  const spansDays = to - from > twoDaysMs;
  const bands = maintenanceBands(steps, stepSeconds * 1000);
  const edges = { top: 8, right: 8, bottom: 26, left: compact ? 52 : 60 };
  const at = (step: number) => formatDateTime(steps[step]?.start ?? 0, language);
  return (
    <div className="relative h-64">
      {/* The label of a tick at the chart's end reaches beyond the plot. */}
      <div aria-hidden="true" className="h-full [&_svg]:overflow-visible">
        <TimeChart<Series>
          data={data}
          edges={edges}
          yScale={{ min: 0, max: top === 0 ? "auto" : top, nice: 4 }}
          marks={4}
          ticks={timeTicks(from, to, compact ? 4 : 9)}
          formatTick={(at) => (spansDays ? formatLocalDay(at, language) : formatTime(at, language))}
          format={(value) => formatDuration(value, language)}
          curve="monotoneX"
          layers={["grid", (drawn) => <Bands key="maintenance" {...drawn} bands={bands} />, "axes", ...layers]}
        />
      </div>
      <ChartCursor
        label={label}
        places={steps.map(({ start }) => (to === from ? 0.5 : (start - from) / (to - from)))}
        edges={edges}
        textOf={(step) =>
          [at(step), ...linesOf(step).map((line) => `${line.label} ${formatDuration(line.valueMs, language)}`)].join(
            ", ",
          )
        }
        tipOf={(step) => (
          <>
            <p className="tnum whitespace-nowrap text-muted">{at(step)}</p>
            {linesOf(step).map((line) => (
              <p key={line.id} className="flex items-center gap-2">
                {line.mark}
                <span className="flex-1">{line.label}</span>
                <span className="tnum pl-4 font-medium">{formatDuration(line.valueMs, language)}</span>
              </p>
            ))}
            {steps[step]?.inMaintenance === true && <MaintenanceMark />}
          </>
        )}
      />
    </div>
  );
}

type BandsProps<Series extends LineSeries> = LineCustomSvgLayerProps<Series> & { bands: readonly Band[] };

/** Where steps in maintenance lie, behind the lines: tinted, with a striped edge at the bottom. */
function Bands<Series extends LineSeries>({ xScale, innerWidth, innerHeight, bands }: BandsProps<Series>) {
  const place = (atMs: number) => {
    const x = Number((xScale as (value: Date) => number)(new Date(atMs)));
    return Math.min(innerWidth, Math.max(0, x));
  };
  return bands.map(({ fromMs, toMs }) => {
    const x = place(fromMs);
    const width = Math.max(2, place(toMs) - x);
    return (
      <g key={fromMs} data-band="maintenance">
        <rect x={x} y={0} width={width} height={innerHeight} fill="var(--maintenance)" fillOpacity={0.1} />
        <path
          d={`M${x} ${innerHeight - 2}h${width}`}
          stroke="var(--maintenance)"
          strokeWidth={4}
          strokeDasharray="2 2"
        />
      </g>
    );
  });
}

type TimeChartProps<Series extends LineSeries> = Pick<LineSvgProps<Series>, "data" | "layers" | "markers" | "curve"> & {
  edges: NonNullable<LineSvgProps<Series>["margin"]>;
  yScale: Omit<Extract<LineSvgProps<Series>["yScale"], { type: "linear" }>, "type">;
  /** The marks of the value axis, each with a line across the chart: how many, or at which values. */
  marks: NonNullable<LineSvgProps<Series>["gridYValues"]>;
  /** The marks of the time axis, in epoch milliseconds. */
  ticks: readonly number[];
  formatTick: (at: Date) => string;
  format: (value: number) => string;
};

/** Axes and grid of a chart over time; the layers draw the figures. */
export function TimeChart<Series extends LineSeries>(props: TimeChartProps<Series>) {
  const { edges, yScale, marks, ticks, formatTick, format, ...rest } = props;
  const axis = { tickSize: 0, tickPadding: 8 };
  return (
    <ResponsiveLine<Series>
      {...rest}
      theme={chartTheme}
      margin={edges}
      xScale={{ type: "time", format: "native", precision: "millisecond", useUTC: false }}
      yScale={{ type: "linear", ...yScale }}
      enablePoints={false}
      enableGridX={false}
      gridYValues={marks}
      axisBottom={{ ...axis, tickValues: ticks.map((at) => new Date(at)), format: formatTick }}
      axisLeft={{ ...axis, tickValues: marks, format }}
      isInteractive={false}
      animate={false}
      role="presentation"
    />
  );
}

const text = { fill: "var(--faint)", fontSize: 12, fontFamily: "inherit" };

/** nivo in the app's own colours; both themes come with the CSS variables. */
const chartTheme: PartialTheme = {
  text,
  axis: { ticks: { text }, domain: { line: { stroke: "transparent" } } },
  grid: { line: { stroke: "var(--line)", strokeWidth: 1 } },
  crosshair: { line: { stroke: "var(--faint)", strokeWidth: 1, strokeOpacity: 0.8 } },
  tooltip: { container: { background: "none", boxShadow: "none", padding: 0 } },
};

type SeriesLineProps<Series extends LineSeries> = {
  of: LineCustomSvgLayerProps<Series>["series"][number];
  look: LineLook;
  lineGenerator: LineCustomSvgLayerProps<Series>["lineGenerator"];
  /** Of the dots of steps that no line reaches, in pixels. */
  radius: number;
};

/** One line. It crosses no missing data; steps between two gaps are dots. */
export function SeriesLine<Series extends LineSeries>(props: SeriesLineProps<Series>) {
  const { of, look, lineGenerator, radius } = props;
  return (
    <>
      <path
        d={lineGenerator(of.data.map(({ position }) => position)) ?? ""}
        fill="none"
        stroke={look.color}
        strokeWidth={look.width}
        strokeDasharray={look.dash}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      {isolatedPoints(of.data).map(({ position }) => (
        <circle key={position.x} cx={position.x} cy={position.y} r={radius} fill={look.color} />
      ))}
    </>
  );
}
