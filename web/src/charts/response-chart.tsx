import type { LineCustomSvgLayerProps } from "@nivo/line";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { ChartFrame, type ChartStep } from "./chart-frame.tsx";
import { fitScale, isolatedPoints } from "./scales.ts";

const responseSeries = ["p50", "p95", "max"] as const;
type ResponseSeries = (typeof responseSeries)[number];
/** One step; figures in milliseconds, null where no check was seen. */
export type ResponsePoint = ChartStep & Record<ResponseSeries, number | null>;

const strokes: Record<ResponseSeries, { color: string; width: number; dash?: string }> = {
  p50: { color: "var(--series-1)", width: 2 },
  p95: { color: "var(--series-2)", width: 1.5 },
  max: { color: "var(--series-3)", width: 1, dash: "1 3" },
};

type Series = { id: ResponseSeries; data: { x: Date; y: number | null }[] };
type ResponseChartProps = { points: readonly ResponsePoint[]; stepSeconds: number; label: string; compact: boolean };

/**
 * Response times over time: p50 filled, p95, and the maximum dotted. No line crosses missing data. Peaks far above what is
 * usual are cut off and marked at the top edge; the cursor shows how high they are.
 */
export default function ResponseChart({ points, stepSeconds, label, compact }: ResponseChartProps) {
  const { t } = useTranslation();
  const data: Series[] = responseSeries.map((id) => ({
    id,
    data: points.map((point) => ({ x: new Date(point.start), y: point[id] })),
  }));
  return (
    <ChartFrame<Series>
      steps={points}
      stepSeconds={stepSeconds}
      label={label}
      compact={compact}
      data={data}
      top={fitScale(points).top}
      layers={[Areas, Lines, Peaks]}
      linesOf={(step) =>
        responseSeries.map((id) => ({
          id,
          mark: <SeriesMark id={id} />,
          label: t(`monitor.${id}`),
          valueMs: points[step]?.[id] ?? null,
        }))
      }
    />
  );
}

/** Nothing is drawn above the plot. */
function Clip({ id, innerWidth, innerHeight }: { id: string; innerWidth: number; innerHeight: number }) {
  return (
    <clipPath id={id}>
      <rect x={-4} y={-2} width={innerWidth + 8} height={innerHeight + 6} />
    </clipPath>
  );
}

function Areas({ series, areaGenerator, innerWidth, innerHeight }: LineCustomSvgLayerProps<Series>) {
  const clip = useId();
  const p50 = series.find(({ id }) => id === "p50");
  const path = p50 === undefined ? null : areaGenerator(positions(p50));
  if (path === null) return null;
  return (
    <g clipPath={`url(#${clip})`}>
      <Clip id={clip} innerWidth={innerWidth} innerHeight={innerHeight} />
      <path d={path} fill={strokes.p50.color} fillOpacity={0.1} />
    </g>
  );
}

function Lines({ series, lineGenerator, innerWidth, innerHeight }: LineCustomSvgLayerProps<Series>) {
  const clip = useId();
  // The most important line is drawn last, on top.
  const drawn = [...series].reverse().map((each) => {
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
  return (
    <g clipPath={`url(#${clip})`}>
      <Clip id={clip} innerWidth={innerWidth} innerHeight={innerHeight} />
      {drawn}
    </g>
  );
}

/** Arrows at the top edge, where the maximum lies above it. */
function Peaks({ series }: LineCustomSvgLayerProps<Series>) {
  const above = series.find(({ id }) => id === "max")?.data.filter(({ position }) => (position.y ?? 0) < -1) ?? [];
  return above.map(({ position: { x } }) => (
    <path key={x} data-mark="peak" d={`M${x} -6l3.5 6h-7z`} fill={strokes.max.color} />
  ));
}

type Computed = LineCustomSvgLayerProps<Series>["series"][number];

function positions({ data }: Computed) {
  return data.map(({ position }) => position);
}

function SeriesMark({ id }: { id: ResponseSeries }) {
  const { color, width, dash } = strokes[id];
  return (
    <svg viewBox="0 0 16 8" aria-hidden="true" className="h-2 w-4 shrink-0">
      <path d="M1 4h14" stroke={color} strokeWidth={width + 0.5} strokeDasharray={dash} strokeLinecap="round" />
    </svg>
  );
}
