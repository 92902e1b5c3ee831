import type { checksAnswer, CheckResult } from "@sonde/proto/http/monitors/checks";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import { type AnswerOf, api } from "../../app/api.ts";
import { formatDuration, formatTime } from "../../lib/format.ts";
import { useFromNow } from "../../lib/hooks.ts";
import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/states.tsx";

const aroundMs = 15 * 60_000;
const maxChecks = 200;
const height = 72;
/** Failures without a response are drawn as high as the slowest check. */
const minShare = 0.06;

/** Checks before and after the start of a monitor's incident. */
function useAround({ target, openedAt }: Incident) {
  const openedMs = Date.parse(openedAt);
  const [fromMs, toMs] = [openedMs - aroundMs, openedMs + aroundMs];
  // Refetched each minute until the end of the range.
  const untilMs = useFromNow((nowMs) => Math.min(toMs, Math.ceil(nowMs / 60_000) * 60_000));
  const isMonitor = target.type === "monitor";
  const { data, currentData, isLoading } = useChecksBeforeQuery(
    { id: target.id, before: new Date(untilMs).toISOString() },
    { skip: !isMonitor },
  );
  const checks = (currentData ?? data)?.checks.filter(
    ({ startedAt }) => Date.parse(startedAt) >= fromMs && Date.parse(startedAt) <= toMs,
  );
  return { around: isMonitor && checks !== undefined ? { checks, openedMs, fromMs, toMs } : undefined, isLoading };
}

export function AroundCard({ incident }: { incident: Incident }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { around, isLoading } = useAround(incident);
  if (isLoading) return <Skeleton className="h-54 w-full rounded-lg" />;
  if (around === undefined || around.checks.length === 0) return null;
  const { checks, openedMs, fromMs, toMs } = around;
  const slowest = Math.max(1, ...checks.map(({ responseTime }) => responseTime));
  const down = checks.filter(({ status }) => status === "down").length;
  const label = t("evidence.aroundSummary", { count: checks.length, down });
  const xOf = (ms: number) => ((ms - fromMs) / (toMs - fromMs)) * 100;
  return (
    <Card title={t("evidence.around")}>
      <div className="relative" style={{ height }} role="img" aria-label={label}>
        <span aria-hidden="true" className="absolute inset-y-0 left-1/2 border-l border-dashed border-down" />
        {checks.map((check) => (
          <span
            key={`${check.slot} ${check.location} ${check.attempt} ${check.startedAt}`}
            title={titleOf(check, language)}
            className={`absolute bottom-0 w-1 -translate-x-1/2 rounded-t-[2px] ${check.status === "up" ? "bg-up" : "bg-down"}`}
            style={{
              left: `${xOf(Date.parse(check.startedAt))}%`,
              height: `${Math.max(minShare, check.responseTime / slowest) * 100}%`,
            }}
          />
        ))}
      </div>
      <p className="tnum mt-1 flex justify-between border-t border-line pt-1 text-[12px] text-faint">
        <span>{formatTime(fromMs, language)}</span>
        <span>
          {formatTime(openedMs, language)} · {t("evidence.aroundStart")}
        </span>
        <span>{formatTime(toMs, language)}</span>
      </p>
      <p className="mt-1 text-[13px] text-muted">
        {label} · {t("evidence.slowest", { time: formatDuration(slowest, language) })}
      </p>
    </Card>
  );
}

function titleOf({ startedAt, responseTime, location, error }: CheckResult, language: string): string {
  return [formatTime(startedAt, language), formatDuration(responseTime, language), location, error?.message]
    .filter((part) => part !== undefined)
    .join(" · ");
}

const { useChecksBeforeQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    checksBefore: build.query<AnswerOf<typeof checksAnswer>, { id: number; before: string }>({
      query: ({ id, before }) => ({ url: `/monitors/${id}/checks`, params: { before, limit: maxChecks } }),
    }),
  }),
});
