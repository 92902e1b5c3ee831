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
import {
  type Band,
  type ChartMarks,
  isolatedPoints,
  maintenanceBands,
  placeOn,
  plotEdges,
  timeTicks,
} from "./scales.ts";
import type { LineLook } from "./series.tsx";

/** One step. `start` is in epoch milliseconds. */
export type ChartStep = { start: number; inMaintenance: boolean };
type TipLine = { id: string; mark: ReactNode; label: string; valueMs: number | null };

/** Props of every chart of response times. */
export type ChartProps<Step extends ChartStep> = {
  points: readonly Step[];
  stepSeconds: number;
  /** Time axis, shared with the state bars above the chart. */
  axis: Band;
  marks: ChartMarks;
  label: string;
  hint: string;
  compact: boolean;
  onZoom: (span: Band) => void;
};

export const middleOf = ({ start }: ChartStep, stepSeconds: number) => new Date(start + stepSeconds * 500);

type ChartFrameProps<Series extends LineSeries> = Omit<ChartProps<ChartStep>, "points"> & {
  steps: readonly ChartStep[];
  data: readonly Series[];
  /** Top of the scale in milliseconds. */
  top: number;
  /** Layers that draw the series. Positions are `null` if there is no data. */
  layers: readonly LineCustomSvgLayer<Series>[];
  linesOf: (step: number) => readonly TipLine[];
};

const twoDaysMs = 2 * 86_400_000;

export function ChartFrame<Series extends LineSeries>(props: ChartFrameProps<Series>) {
  const { steps, stepSeconds, axis, marks, label, hint, compact, onZoom, data, top, layers, linesOf } = props;
  const { language } = useTranslation().i18n;
  const { fromMs, toMs } = axis;
  const spansDays = toMs - fromMs > twoDaysMs;
  const bands = maintenanceBands(steps, stepSeconds * 1000);
  const edges = plotEdges(compact);
  const at = (step: number) => formatDateTime(steps[step]?.start ?? 0, language);
  return (
    <div className="relative h-64">
      {/* The label of the last tick extends beyond the plot. */}
      <div aria-hidden="true" className="h-full [&_svg]:overflow-visible">
        <TimeChart<Series>
          data={data}
          edges={edges}
          yScale={{ min: 0, max: top === 0 ? "auto" : top, nice: 4 }}
          marks={4}
          axis={axis}
          ticks={timeTicks(fromMs, toMs, compact ? 4 : 9)}
          formatTick={(at) => (spansDays ? formatLocalDay(at, language) : formatTime(at, language))}
          format={(value) => formatDuration(value, language)}
          curve="monotoneX"
          layers={[
            "grid",
            (drawn) => <Bands key="maintenance" {...drawn} axis={axis} bands={bands} />,
            (drawn) => <Marks key="marks" {...drawn} axis={axis} marks={marks} />,
            "axes",
            ...layers,
          ]}
        />
      </div>
      <ChartCursor
        label={label}
        places={steps.map((step) => placeOn(axis, middleOf(step, stepSeconds).getTime()))}
        edges={edges}
        hint={hint}
        onSpan={(from, to) => onZoom({ fromMs: fromMs + from * (toMs - fromMs), toMs: fromMs + to * (toMs - fromMs) })}
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

type LayerOf<Series extends LineSeries, Own> = LineCustomSvgLayerProps<Series> & { axis: Band } & Own;

function Bands<Series extends LineSeries>(props: LayerOf<Series, { bands: readonly Band[] }>) {
  const { axis, innerWidth, innerHeight, bands } = props;
  return bands.map(({ fromMs, toMs }) => {
    const x = placeOn(axis, fromMs) * innerWidth;
    const width = Math.max(2, placeOn(axis, toMs) * innerWidth - x);
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

function Marks<Series extends LineSeries>(props: LayerOf<Series, { marks: ChartMarks }>) {
  const { axis, innerWidth, innerHeight, marks } = props;
  return (
    <>
      {marks.incidents.map(({ fromMs, toMs }) => {
        const x = placeOn(axis, fromMs) * innerWidth;
        const width = Math.max(2, placeOn(axis, toMs) * innerWidth - x);
        return (
          <g key={fromMs} data-band="incident" fill="var(--down)">
            <rect x={x} y={0} width={width} height={innerHeight} fillOpacity={0.09} />
            <rect x={x} y={0} width={width} height={2} />
          </g>
        );
      })}
      {marks.changes.map((atMs) => (
        <path
          key={atMs}
          data-mark="change"
          d={`M${placeOn(axis, atMs) * innerWidth} 0v${innerHeight}`}
          stroke="var(--faint)"
          strokeDasharray="2 3"
        />
      ))}
    </>
  );
}

type TimeChartProps<Series extends LineSeries> = Pick<LineSvgProps<Series>, "data" | "layers" | "markers" | "curve"> & {
  edges: NonNullable<LineSvgProps<Series>["margin"]>;
  yScale: Omit<Extract<LineSvgProps<Series>["yScale"], { type: "linear" }>, "type">;
  marks: NonNullable<LineSvgProps<Series>["gridYValues"]>;
  /** Range of the axis. By default from the first to the last point. */
  axis?: Band;
  ticks: readonly number[];
  formatTick: (at: Date) => string;
  format: (value: number) => string;
};

export function TimeChart<Series extends LineSeries>(props: TimeChartProps<Series>) {
  const { edges, yScale, marks, axis, ticks, formatTick, format, ...rest } = props;
  const look = { tickSize: 0, tickPadding: 8 };
  const ends = axis === undefined ? {} : { min: new Date(axis.fromMs), max: new Date(axis.toMs) };
  return (
    <ResponsiveLine<Series>
      {...rest}
      theme={chartTheme}
      margin={edges}
      xScale={{ type: "time", format: "native", precision: "millisecond", useUTC: false, ...ends }}
      yScale={{ type: "linear", ...yScale }}
      enablePoints={false}
      enableGridX={false}
      gridYValues={marks}
      axisBottom={{ ...look, tickValues: ticks.map((at) => new Date(at)), format: formatTick }}
      axisLeft={{ ...look, tickValues: marks, format }}
      isInteractive={false}
      animate={false}
      role="presentation"
    />
  );
}

const text = { fill: "var(--faint)", fontSize: 12, fontFamily: "inherit" };

/** nivo theme with the app's colours. CSS variables switch between light and dark. */
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
  /** Radius of isolated points, in pixels. */
  radius: number;
};

/** One line with gaps for missing data. A step between two gaps is drawn as a point. */
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
