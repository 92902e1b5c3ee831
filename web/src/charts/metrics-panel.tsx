import { lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { formatDateTime } from "../lib/format.ts";
import { useMedia } from "../lib/hooks.ts";
import { Skeleton } from "../ui/states.tsx";
import { CursorArea, useCursor } from "./chart-cursor.tsx";
import { chartEdges, LineMark, type MetricsSeries, seriesLook, thresholdLook } from "./series.tsx";

const MetricsChart = lazy(async () => ({ default: (await import("./drawn.ts")).MetricsChart }));

type MetricsPanelProps = {
  title: string;
  /** Control on the right of the title, for example to choose an interface. */
  choice?: ReactNode;
  /** `undefined` while loading. */
  starts: readonly number[] | undefined;
  series: readonly MetricsSeries[];
  top?: number | undefined;
  /** Value of the dotted threshold line, if there is one. */
  threshold?: number | null | undefined;
  format: (value: number | null) => string;
  empty: string;
  hint: string;
};

export function MetricsPanel(props: MetricsPanelProps) {
  const { title, choice, starts, series, top, format, empty, hint } = props;
  const threshold = props.threshold ?? undefined;
  const { t } = useTranslation();
  const [step] = useCursor();
  const compact = useMedia("(max-width: 40rem)");
  const isEmpty = starts !== undefined && series.every(({ values }) => values.every((value) => value === null));
  return (
    <div className="min-w-0">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3">
        <h3 className="text-[13px] font-medium text-muted">{title}</h3>
        {choice}
      </div>
      <ul className="mb-1 flex min-h-5 flex-wrap gap-x-4 text-[13px] text-muted">
        {!isEmpty &&
          series.map(({ id, label, values }, index) => (
            <li key={id} className="flex min-w-0 items-center gap-1.5">
              <LineMark {...seriesLook(index)} />
              <span className="max-w-40 truncate" title={label}>
                {label}
              </span>
              <span className="tnum font-medium text-ink">{format(valueAt(values, step))}</span>
            </li>
          ))}
        {!isEmpty && threshold !== undefined && (
          <li className="flex items-center gap-1.5">
            <LineMark {...thresholdLook} />
            {t("agentThresholds.line")}
            <span className="tnum">{format(threshold)}</span>
          </li>
        )}
      </ul>
      {starts === undefined ? (
        <Skeleton className="h-48 w-full" />
      ) : isEmpty ? (
        <p className="flex h-48 items-center justify-center rounded-md bg-sunken px-4 text-center text-muted">
          {empty}
        </p>
      ) : (
        <div className="relative h-48 [&_svg]:overflow-visible">
          <Suspense fallback={<Skeleton className="h-48 w-full" />}>
            <MetricsChart
              starts={starts}
              series={series}
              format={format}
              ticks={compact ? 4 : 6}
              top={top}
              threshold={threshold}
            />
          </Suspense>
          <CursorLayer title={title} starts={starts} series={series} format={format} hint={hint} />
        </div>
      )}
    </div>
  );
}

function valueAt(values: readonly (number | null)[], step: number | null): number | null {
  return step === null ? (values.findLast((value) => value !== null) ?? null) : (values[step] ?? null);
}

type CursorLayerProps = { title: string; starts: readonly number[]; hint: string } & Pick<
  MetricsPanelProps,
  "series" | "format"
>;

function CursorLayer({ title, starts, series, format, hint }: CursorLayerProps) {
  const { i18n } = useTranslation();
  const [step, move] = useCursor();
  const last = starts.length - 1;
  const firstMs = starts[0] ?? 0;
  const spanMs = (starts[last] ?? 0) - firstMs;
  const timeOf = (at: number) => formatDateTime(starts[at] ?? 0, i18n.language);
  const figures = series.map(({ label, values }) => `${label} ${format(valueAt(values, step))}`).join(", ");
  return (
    <CursorArea
      label={`${title}. ${hint}`}
      places={starts.map((atMs) => (spanMs === 0 ? 0 : (atMs - firstMs) / spanMs))}
      edges={chartEdges}
      step={step}
      onStep={move}
      valueText={`${timeOf(Math.min(step ?? last, last))}: ${figures}`}
    >
      {(shown, place) => (
        <span
          aria-hidden="true"
          style={{ left: `${place * 100}%`, translate: `${-place * 100}% 0` }}
          className="tnum pointer-events-none absolute top-0 rounded-sm border border-line bg-raised px-1.5 text-[12px] whitespace-nowrap text-muted"
        >
          {timeOf(shown)}
        </span>
      )}
    </CursorArea>
  );
}
