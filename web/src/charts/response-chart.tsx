import type { LineCustomSvgLayerProps } from "@nivo/line";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { ChartFrame, type ChartProps, type ChartStep, middleOf, SeriesLine } from "./chart-frame.tsx";
import { fitScale } from "./scales.ts";
import { LineMark, type LineLook } from "./series.tsx";

const responseSeries = ["p50", "p95", "max"] as const;
type ResponseSeries = (typeof responseSeries)[number];
/** One step. Times in milliseconds, `null` without checks. */
export type ResponsePoint = ChartStep & Record<ResponseSeries, number | null>;

const strokes: Record<ResponseSeries, LineLook> = {
  p50: { color: "var(--series-1)", width: 2 },
  p95: { color: "var(--series-2)", width: 1.5 },
  max: { color: "var(--series-3)", width: 1, dash: "1 3" },
};

type Series = { id: ResponseSeries; data: { x: Date; y: number | null }[] };

/**
 * Response times over time: p50 filled, p95 as a line, maximum dotted, with gaps for missing data. Extreme peaks are
 * cut off and marked at the top edge; the cursor shows their value.
 */
export function ResponseChart({ points, ...frame }: ChartProps<ResponsePoint>) {
  const { t } = useTranslation();
  const data: Series[] = responseSeries.map((id) => ({
    id,
    data: points.map((point) => ({ x: middleOf(point, frame.stepSeconds), y: point[id] })),
  }));
  return (
    <ChartFrame<Series>
      {...frame}
      steps={points}
      data={data}
      top={fitScale(points).top}
      layers={[Areas, Lines, Peaks]}
      linesOf={(step) =>
        responseSeries.map((id) => ({
          id,
          mark: <LineMark {...strokes[id]} />,
          label: t(`monitor.${id}`),
          valueMs: points[step]?.[id] ?? null,
        }))
      }
    />
  );
}

type LayerProps = LineCustomSvgLayerProps<Series>;

function Clipped({ innerWidth, innerHeight, children }: LayerProps & { children: ReactNode }) {
  const clip = useId();
  return (
    <g clipPath={`url(#${clip})`}>
      <clipPath id={clip}>
        <rect x={-4} y={-2} width={innerWidth + 8} height={innerHeight + 6} />
      </clipPath>
      {children}
    </g>
  );
}

function Areas(layer: LayerProps) {
  const p50 = layer.series.find(({ id }) => id === "p50");
  const path = p50 === undefined ? null : layer.areaGenerator(p50.data.map(({ position }) => position));
  if (path === null) return null;
  return (
    <Clipped {...layer}>
      <path d={path} fill={strokes.p50.color} fillOpacity={0.1} />
    </Clipped>
  );
}

function Lines(layer: LayerProps) {
  // The most important line is drawn last, on top.
  return (
    <Clipped {...layer}>
      {[...layer.series].reverse().map((each) => (
        <g key={each.id}>
          <SeriesLine of={each} look={strokes[each.id]} lineGenerator={layer.lineGenerator} radius={2.5} />
        </g>
      ))}
    </Clipped>
  );
}

/** Arrows at the top edge for maxima above the scale. */
function Peaks({ series }: LayerProps) {
  const above = series.find(({ id }) => id === "max")?.data.filter(({ position }) => (position.y ?? 0) < -1) ?? [];
  return above.map(({ position: { x } }) => (
    <path key={x} data-mark="peak" d={`M${x} -6l3.5 6h-7z`} fill={strokes.max.color} />
  ));
}
