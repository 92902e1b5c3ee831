import type { HistoryRange, HistorySummary } from "@sonde/proto/http/monitors/checks";
import { useTranslation } from "react-i18next";
import { formatChange, formatDuration, formatNumber, formatPercent } from "../../../lib/format.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import type { MonitorHistory } from "../api.ts";

const figures = ["p50", "p95", "failures", "coverage"] as const;
/** Figures of heartbeats, which have no response time. */
export const figuresOfJobs = ["failures", "coverage"] as const;
const tones = { better: "up", worse: "warn", same: "plain" } as const;

type FiguresProps = {
  figures?: readonly Figure[];
  history: MonitorHistory | undefined;
  range: HistoryRange;
  isZoomed: boolean;
  /** Draws comparisons grey: while a monitor is down, few checks make them meaningless. */
  isDown: boolean;
};

export function HistoryFigures({ figures: shown = figures, history, range, isZoomed, isDown }: FiguresProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  if (history === undefined) return <Skeleton className="h-[76px] w-full" />;
  const { summary, previous } = history;
  const words = { language, points: (value: string) => t("monitorDetail.points", { value }) };
  const changes = shown.map((figure) => compare(figure, summary, previous, words));
  const against = isZoomed
    ? t("monitorDetail.againstSame")
    : t("monitorDetail.against", { range: t(`monitor.range${range}`) });
  return (
    <div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        {shown.map((figure, index) => (
          <div key={figure} className="min-w-0">
            <dt className="text-[13px] text-muted">{t(`monitorDetail.figures.${figure}`)}</dt>
            <dd className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="tnum text-xl font-semibold tracking-tight">{textOf(figure, summary, language)}</span>
              <ChangeBadge change={changes[index] ?? null} against={against} isGrey={isDown} />
            </dd>
          </div>
        ))}
      </dl>
      <p aria-hidden="true" className="mt-1 min-h-5 text-[12px] text-faint">
        {changes.some((change) => change !== null) && against}
      </p>
    </div>
  );
}

function textOf(figure: Figure, summary: HistorySummary, language: string): string {
  if (figure === "failures") return summary.checks === 0 ? "–" : formatNumber(summary.failures, language);
  if (figure === "coverage") return formatPercent(summary.coverage, language);
  return formatDuration(summary[figure], language);
}

type ChangeProps = { change: FigureChange | null; against: string; isGrey: boolean };

function ChangeBadge({ change, against, isGrey }: ChangeProps) {
  if (change === null) return null;
  return (
    <Badge tone={isGrey ? "plain" : tones[change.verdict]} className="tnum">
      {change.text}
      <span className="sr-only">{against}</span>
    </Badge>
  );
}

type FigureChange = { text: string; verdict: "better" | "worse" | "same" };
type Figure = (typeof figures)[number];

/** Smaller changes, relative to the previous value, are noise and have no colour. */
const minChange = 0.1;

/** `null` if either period lacks the figure. `points` formats percentage points. */
export function compare(
  figure: Figure,
  now: HistorySummary,
  before: HistorySummary | null,
  { language, points }: { language: string; points: (value: string) => string },
): FigureChange | null {
  const [to, from] = [now[figure], before?.[figure] ?? null];
  if (to === null || from === null || now.checks === 0 || before?.checks === 0) return null;
  const isTime = figure === "p50" || figure === "p95";
  if (isTime && from === 0) return null;
  const change = Math.round((isTime ? to / from - 1 : to - from) * 100) / 100;
  const text = isTime
    ? formatChange(change * 100, language)
    : new Intl.NumberFormat(language, { signDisplay: "exceptZero", maximumFractionDigits: 2 })
        .format(change)
        .replace("-", "−");
  // More is better only for coverage.
  const isGood = change > 0 === (figure === "coverage");
  const verdict = Math.abs(to - from) < from * minChange || change === 0 ? "same" : isGood ? "better" : "worse";
  return { text: figure === "coverage" ? points(text) : text, verdict };
}
