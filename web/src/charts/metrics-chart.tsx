import { type LineCustomSvgLayerProps, ResponsiveLine } from "@nivo/line";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { formatDay, formatTime } from "../lib/format.ts";
import { chartTheme } from "./chart-theme.ts";
import { chartEdges, type MetricsSeries, seriesLook } from "./metrics-series.ts";

type Series = { id: string; data: { x: Date; y: number | null }[] };
type MetricsChartProps = {
  /** Epoch milliseconds, one a step. */
  starts: readonly number[];
  series: readonly MetricsSeries[];
  /** The top of the scale; without it what was measured decides. */
  top?: number;
  format: (value: number) => string;
  /** How many marks the time axis has. */
  ticks: number;
};

const dayMs = 86_400_000;

/**
 * Lines over time. A gap is a gap: no line crosses missing data. The picture is drawn once for its data; the cursor is
 * drawn above it, so that moving it costs nothing.
 */
function MetricsChart({ starts, series, top, format, ticks }: MetricsChartProps) {
  const { i18n } = useTranslation();
  const first = starts[0] ?? 0;
  const last = starts.at(-1) ?? 0;
  const spansDays = last - first > 2 * dayMs;
  const dates = starts.map((start) => new Date(start));
  const data: Series[] = series.map(({ id, values }) => ({
    id,
    data: dates.map((x, index) => ({ x, y: values[index] ?? null })),
  }));
  return (
    <ResponsiveLine<Series>
      data={data}
      theme={chartTheme}
      margin={chartEdges}
      xScale={{ type: "time", format: "native", precision: "millisecond", useUTC: false }}
      yScale={{ type: "linear", min: 0, max: top ?? "auto", ...(top === undefined ? { nice: 3 } : {}) }}
      curve="linear"
      enablePoints={false}
      enableGridX={false}
      gridYValues={top === undefined ? 3 : [0, top / 2, top]}
      axisBottom={{
        tickSize: 0,
        tickPadding: 8,
        tickValues: marks(first, last, ticks).map((mark) => new Date(mark)),
        format: (value: Date) => (spansDays ? formatDay(value, i18n.language) : formatTime(value, i18n.language)),
      }}
      axisLeft={{
        tickSize: 0,
        tickPadding: 8,
        tickValues: top === undefined ? 3 : [0, top / 2, top],
        format,
      }}
      layers={["grid", "axes", Lines]}
      isInteractive={false}
      animate={false}
      role="presentation"
    />
  );
}

/** Evenly spaced instants inside the picture, away from its corners. */
function marks(first: number, last: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + ((index + 0.5) / count) * (last - first));
}

type Computed = LineCustomSvgLayerProps<Series>["series"][number];

function Lines({ series, lineGenerator, areaGenerator }: LineCustomSvgLayerProps<Series>) {
  // The most important line is drawn last, on top; where one line is alone or leads, its ground is tinted.
  return [...series].reverse().map((each) => {
    const place = series.indexOf(each);
    const { color, width, dash } = seriesLook(place);
    const positions = each.data.map(({ position }) => position);
    return (
      <g key={each.id}>
        {place === 0 && <path d={areaGenerator(positions) ?? ""} fill={color} fillOpacity={0.09} />}
        <path
          d={lineGenerator(positions) ?? ""}
          fill="none"
          stroke={color}
          strokeWidth={width}
          strokeDasharray={dash}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        {lonely(each.data).map(({ position }) => (
          <circle key={position.x} cx={position.x} cy={position.y} r={2} fill={color} />
        ))}
      </g>
    );
  });
}

/** Points with gaps on both sides: a line would not show them. */
function lonely(data: Computed["data"]) {
  const isGap = (index: number) => data[index]?.data.y == null;
  return data.filter((_, index) => !isGap(index) && isGap(index - 1) && isGap(index + 1));
}

export default memo(MetricsChart);
