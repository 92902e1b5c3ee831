import type { LineCustomSvgLayerProps } from "@nivo/line";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { formatLocalDay, formatTime } from "../lib/format.ts";
import { SeriesLine, TimeChart } from "./chart-frame.tsx";
import { timeTicks } from "./scales.ts";
import { chartEdges, type MetricsSeries, seriesLook, thresholdLook } from "./series.tsx";

type Series = { id: string; data: { x: Date; y: number | null }[] };
type MetricsChartProps = {
  /** Start of each step in epoch milliseconds. */
  starts: readonly number[];
  series: readonly MetricsSeries[];
  top?: number | undefined;
  threshold?: number | undefined;
  format: (value: number) => string;
  /** Maximum number of labels on the time axis. */
  ticks: number;
};

const dayMs = 86_400_000;
const thresholdLine = {
  stroke: thresholdLook.color,
  strokeWidth: thresholdLook.width,
  strokeDasharray: thresholdLook.dash,
};

/** Lines with gaps for missing data. The cursor is a separate layer, so moving it does not render them again. */
function DrawnMetrics({ starts, series, top, threshold, format, ticks }: MetricsChartProps) {
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
    <TimeChart<Series>
      data={data}
      edges={chartEdges}
      yScale={{ min: 0, max: top ?? "auto", ...(top === undefined ? { nice: 3 } : {}) }}
      marks={top === undefined ? 3 : [0, top / 2, top]}
      ticks={timeTicks(first, last, ticks)}
      formatTick={(at) => (spansDays ? formatLocalDay(at, i18n.language) : formatTime(at, i18n.language))}
      format={format}
      curve="linear"
      layers={["grid", "axes", "markers", Lines]}
      markers={threshold === undefined ? [] : [{ axis: "y", value: threshold, lineStyle: thresholdLine }]}
    />
  );
}

function Lines({ series, lineGenerator, areaGenerator }: LineCustomSvgLayerProps<Series>) {
  // The most important line is drawn last, on top. The area below the first line is tinted.
  return [...series].reverse().map((each) => {
    const index = series.indexOf(each);
    const look = seriesLook(index);
    const area = index === 0 ? areaGenerator(each.data.map(({ position }) => position)) : null;
    return (
      <g key={each.id}>
        {area !== null && <path d={area} fill={look.color} fillOpacity={0.09} />}
        <SeriesLine of={each} look={look} lineGenerator={lineGenerator} radius={2} />
      </g>
    );
  });
}

export const MetricsChart = memo(DrawnMetrics);
