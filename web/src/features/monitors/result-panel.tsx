import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { useTranslation } from "react-i18next";
import { PhasesBar } from "../../charts/phases-bar.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { Reason } from "../../ui/health/reason.tsx";
import { CheckIcon, CrossIcon } from "../../ui/icons.tsx";
import { Time } from "../../ui/time.tsx";

type ResultPanelProps = {
  result: CheckResult;
  message?: string | undefined;
  attempts?: number;
  note?: string | undefined;
  onClose?: () => void;
};

export function ResultPanel({ result, message, attempts = 1, note, onClose }: ResultPanelProps) {
  const { t } = useTranslation();
  const { status, statusCode, error, startedAt, location, timings, attempt } = result;
  const isUp = status === "up";
  const facts = [
    attempt > 1 && attempts > 1
      ? [t("monitorDetail.attempt"), t("monitorDetail.attemptOf", { attempt, attempts })]
      : null,
    statusCode === undefined ? null : [t("monitor.statusCode"), statusCode],
    [t("monitor.location"), location],
  ].filter((fact) => fact !== null);
  return (
    <section
      aria-label={t("monitor.result")}
      className={cx(
        "fade-in flex flex-col gap-3 rounded-lg border bg-surface p-4",
        isUp ? "border-up/50" : "border-down/50",
      )}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className={cx("inline-flex items-center gap-1.5 font-medium", isUp ? "text-up-ink" : "text-down-ink")}>
          {isUp ? <CheckIcon /> : <CrossIcon />}
          {isUp ? t("monitor.resultUp") : t("monitor.resultDown")}
        </span>
        {message !== undefined && <span className="text-[13px] text-muted">{message}</span>}
        {facts.map(([name, value]) => (
          <span key={name} className="text-[13px] text-muted">
            {name} <span className="tnum font-medium text-ink">{value}</span>
          </span>
        ))}
        <span className="ml-auto text-[13px] text-faint">
          <Time at={startedAt} short />
        </span>
        {onClose !== undefined && (
          <Button variant="ghost" size="icon" aria-label={t("common.close")} onClick={onClose} className="-my-1 -mr-2">
            <CrossIcon />
          </Button>
        )}
      </div>
      {error !== undefined && (
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone="down">{t(`monitor.errorKind.${error.kind}`)}</Badge>
          <span className="text-down-ink">
            <Reason text={error.message} />
          </span>
        </p>
      )}
      {note !== undefined && <p className="text-[13px] text-muted">{note}</p>}
      <PhasesBar timings={timings} />
    </section>
  );
}
