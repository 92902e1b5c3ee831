import { ResponsiveLine, type LineCustomSvgLayerProps, type SliceTooltipProps } from "@nivo/line";
import { useTranslation } from "react-i18next";
import { formatDate, formatDateTime, formatDay, formatDuration, formatTime } from "../lib/format.ts";
import { chartTheme } from "./chart-theme.ts";
import { MaintenanceMark } from "../ui/maintenance-mark.tsx";
import { isolatedPoints } from "./isolated-points.ts";
import { type Band, maintenanceBands } from "./maintenance-bands.ts";

export const responseSeries = ["p50", "p95", "max"] as const;
export type ResponseSeries = (typeof responseSeries)[number];
/** One step: `start` as epoch milliseconds, figures in milliseconds; null where no check was seen. */
export type ResponsePoint = { start: number; inMaintenance: boolean } & Record<ResponseSeries, number | null>;

const strokes: Record<ResponseSeries, { color: string; width: number; dash?: string }> = {
  p50: { color: "var(--series-1)", width: 2 },
  p95: { color: "var(--series-2)", width: 1.5 },
  max: { color: "var(--series-3)", width: 1, dash: "1 3" },
};

type Series = { id: ResponseSeries; data: { x: Date; y: number | null }[] };
type ResponseChartProps = { points: readonly ResponsePoint[]; stepSeconds: number; label: string; compact: boolean };

/** Response times over time: p50 filled, p95, and the maximum dotted. No line crosses missing data. */
export default function ResponseChart({ points, stepSeconds, label, compact }: ResponseChartProps) {
  const { i18n } = useTranslation();
  const language = i18n.language;
  const wholeDays = stepSeconds >= 86_400;
  const tick = (value: Date) => (wholeDays ? formatDay(value, language) : formatTime(value, language));
  const data: Series[] = responseSeries.map((id) => ({
    id,
    data: points.map((point) => ({ x: new Date(point.start), y: point[id] })),
  }));
  const bands = maintenanceBands(points, stepSeconds * 1000);
  const every = wholeDays ? (compact ? "every 10 days" : "every 4 days") : compact ? "every 6 hours" : "every 3 hours";
  return (
    <div role="img" aria-label={label} className="h-64">
      <ResponsiveLine<Series>
        data={data}
        theme={chartTheme}
        margin={{ top: 8, right: 8, bottom: 26, left: compact ? 52 : 60 }}
        xScale={{ type: "time", format: "native", precision: "millisecond", useUTC: wholeDays }}
        yScale={{ type: "linear", min: 0, max: "auto", nice: 4 }}
        colors={({ id }) => strokes[id].color}
        curve="monotoneX"
        enablePoints={false}
        enableGridX={false}
        gridYValues={4}
        axisBottom={{ tickSize: 0, tickPadding: 8, tickValues: every, format: tick }}
        axisLeft={{
          tickSize: 0,
          tickPadding: 8,
          tickValues: 4,
          format: (value: number) => formatDuration(value, language),
        }}
        layers={[
          "grid",
          (props) => <Bands key="maintenance" {...props} bands={bands} />,
          "axes",
          Areas,
          Lines,
          "crosshair",
          "slices",
        ]}
        enableSlices="x"
        sliceTooltip={(props) => <Tip {...props} wholeDay={wholeDays} bands={bands} />}
        animate={false}
        role="presentation"
      />
    </div>
  );
}

/** Where steps in maintenance lie, behind the lines: tinted, with a striped edge at the bottom. */
function Bands({
  xScale,
  innerWidth,
  innerHeight,
  bands,
}: LineCustomSvgLayerProps<Series> & { bands: readonly Band[] }) {
  const placeOf = (atMs: number) => Math.min(innerWidth, Math.max(0, Number(xScale(new Date(atMs)))));
  return bands.map(({ fromMs, toMs }) => {
    const x = placeOf(fromMs);
    const width = Math.max(2, placeOf(toMs) - x);
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

function Areas({ series, areaGenerator }: LineCustomSvgLayerProps<Series>) {
  const p50 = series.find(({ id }) => id === "p50");
  const path = p50 === undefined ? null : areaGenerator(positions(p50));
  return path === null ? null : <path d={path} fill={strokes.p50.color} fillOpacity={0.1} />;
}

function Lines({ series, lineGenerator }: LineCustomSvgLayerProps<Series>) {
  // The most important line is drawn last, on top.
  return [...series].reverse().map((each) => {
    const { color, width, dash } = strokes[each.id];
    return (
      <g key={each.id}>
        <path
          d={lineGenerator(positions(each)) ?? ""}
          fill="none"
          stroke={color}
          strokeWidth={width}
          strokeDasharray={dash}
          strokeLinecap="round"
        />
        {isolatedPoints(each.data).map(({ position }) => (
          <circle key={position.x} cx={position.x} cy={position.y} r={2.5} fill={color} />
        ))}
      </g>
    );
  });
}

type Computed = LineCustomSvgLayerProps<Series>["series"][number];

function positions({ data }: Computed) {
  return data.map(({ position }) => position);
}

function Tip({ slice, wholeDay, bands }: SliceTooltipProps<Series> & { wholeDay: boolean; bands: readonly Band[] }) {
  const { t, i18n } = useTranslation();
  const at = slice.points[0]?.data.x;
  const atMs = at?.getTime() ?? Number.NaN;
  return (
    <div className="rounded-md border border-line bg-raised px-2.5 py-1.5 text-[13px] shadow-lifted">
      {at !== undefined && (
        <p className="tnum whitespace-nowrap text-muted">
          {(wholeDay ? formatDate : formatDateTime)(at, i18n.language)}
        </p>
      )}
      {responseSeries.map((id) => {
        const value = slice.points.find(({ seriesId }) => seriesId === id)?.data.y;
        return (
          <p key={id} className="flex items-center gap-2">
            <SeriesMark id={id} />
            <span className="flex-1">{t(`monitor.${id}`)}</span>
            <span className="tnum pl-4 font-medium">{formatDuration(value, i18n.language)}</span>
          </p>
        );
      })}
      {bands.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs) && <MaintenanceMark />}
    </div>
  );
}

function SeriesMark({ id }: { id: ResponseSeries }) {
  const { color, width, dash } = strokes[id];
  return (
    <svg viewBox="0 0 16 8" aria-hidden="true" className="h-2 w-4 shrink-0">
      <path d="M1 4h14" stroke={color} strokeWidth={width + 0.5} strokeDasharray={dash} strokeLinecap="round" />
    </svg>
  );
}
