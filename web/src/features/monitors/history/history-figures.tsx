import type { HistoryRange, HistorySummary } from "@sonde/proto/http/monitors/checks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatDuration, formatNumber, formatPercent } from "../../../lib/format.ts";
import { Badge } from "../../../ui/badge.tsx";
import { ArrowDownIcon, ArrowUpIcon } from "../../../ui/icons.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import type { MonitorHistory } from "../api.ts";
import { type FigureChange, compare } from "./compare.ts";

const figures = ["p50", "p95", "failures", "coverage"] as const;
const tones = { better: "up", worse: "warn", same: "plain" } as const;

/** The range in four figures, each against the period of the same length before it. */
export function HistoryFigures({ history, range }: { history: MonitorHistory | undefined; range: HistoryRange }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  if (history === undefined) return <Skeleton className="h-[76px] w-full" />;
  const { summary, previous } = history;
  const period = t(`monitor.range${range}`);
  const words = { language, points: (value: string) => t("monitorDetail.points", { value }) };
  const changes = figures.map((figure) => compare(figure, summary, previous, words));
  return (
    <div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        {figures.map((figure, index) => (
          <div key={figure} className="min-w-0">
            <dt className="text-[13px] text-muted">{t(`monitorDetail.figures.${figure}`)}</dt>
            <dd className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="tnum text-xl font-semibold tracking-tight">{textOf(figure, summary, language)}</span>
              <ChangeBadge change={changes[index] ?? null} against={t("monitorDetail.against", { range: period })} />
            </dd>
          </div>
        ))}
      </dl>
      <p aria-hidden="true" className="mt-1 min-h-5 text-[12px] text-faint">
        {changes.some((change) => change !== null) && t("monitorDetail.against", { range: period })}
      </p>
    </div>
  );
}

function textOf(figure: (typeof figures)[number], summary: HistorySummary, language: string): string {
  if (figure === "failures") return summary.checks === 0 ? "–" : formatNumber(summary.failures, language);
  if (figure === "coverage") return formatPercent(summary.coverage, language);
  return formatDuration(summary[figure], language);
}

const arrows: Record<FigureChange["direction"], ReactNode> = {
  up: <ArrowUpIcon className="size-3" />,
  down: <ArrowDownIcon className="size-3" />,
  same: null,
};

function ChangeBadge({ change, against }: { change: FigureChange | null; against: string }) {
  if (change === null) return null;
  return (
    <Badge tone={tones[change.verdict]} className="tnum">
      {arrows[change.direction]}
      {change.text}
      <span className="sr-only">{against}</span>
    </Badge>
  );
}
