import type { PassiveType } from "@sonde/proto/http/monitors/kinds";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import type { checkNowAnswer, Monitor } from "@sonde/proto/http/monitors/monitors";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AnswerOf } from "../../../app/api.ts";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { subscribeChecking } from "../../../app/live/events.ts";
import { Alert } from "../../../ui/alert.tsx";
import { shownState } from "../../../ui/badge.tsx";
import { Spinner } from "../../../ui/button.tsx";
import { Reason } from "../../../ui/health/reason.tsx";
import { checkTimeoutMs } from "../api.ts";

const ResultPanel = lazy(async () => ({ default: (await import("../result-panel.tsx")).ResultPanel }));

type Probed = Exclude<Monitor, { type: PassiveType }>;

type Checked = {
  isLoading: boolean;
  data?: AnswerOf<typeof checkNowAnswer>;
  error?: unknown;
  reset: () => void;
};

/** Shows progress and result of a manual check, or why it could not run. Other users see the progress too. */
export function CheckPanel({ monitor, checked }: { monitor: Probed; checked: Checked }) {
  const { t } = useTranslation();
  const { id, timeout, retries } = monitor;
  const progress = useCheckProgress(id, checkTimeoutMs(timeout, retries));
  const isRunning = checked.isLoading || progress !== null;
  const result = isRunning ? undefined : checked.data?.result;
  const why = result && whyStateDiffers(monitor, result);
  return (
    <>
      {/* Always rendered, so that screen readers announce its content. */}
      <div role="status" className="empty:hidden">
        {isRunning ? (
          <Running progress={progress} />
        ) : (
          result && <p className="sr-only">{t(result.status === "up" ? "monitor.resultUp" : "monitor.resultDown")}</p>
        )}
      </div>
      {!isRunning && checked.error !== undefined && (
        <Alert kind="error">
          {[
            errorText(checked.error, "checkFailed"),
            ...fieldErrorsOf(checked.error).map(({ message }) => message),
          ].join("\n")}
        </Alert>
      )}
      {result !== undefined && why !== "outdated" && (
        <Suspense fallback={null}>
          <ResultPanel
            result={result}
            message={result.status === "up" ? (checked.data?.message ?? t("monitor.checkCompleted")) : undefined}
            attempts={(retries ?? 0) + 1}
            note={
              why &&
              t(`monitorDetail.stateDiffers.${why}`, {
                status: t(`status.detail.${shownState(monitor)}`),
                location: result.location,
                attempt: result.attempt,
                attempts: (retries ?? 0) + 1,
              })
            }
            onClose={checked.reset}
          />
        </Suspense>
      )}
    </>
  );
}

function Running({ progress }: { progress: CheckProgress | null }) {
  const { t } = useTranslation();
  const { attempt = 1, attempts = 1, failed } = progress ?? {};
  return (
    <div className="fade-in flex flex-col gap-1 rounded-lg border border-line bg-surface p-4">
      <p className="flex items-center gap-2 font-medium">
        <Spinner />
        {failed === undefined
          ? t("monitor.checking")
          : t("monitorDetail.failedOnce", { attempt: attempt - 1, attempts })}
      </p>
      {failed !== undefined && failed !== "" && (
        <p className="text-[13px] text-down-ink">
          <Reason text={failed} />
        </p>
      )}
    </div>
  );
}

/** The current or next attempt, and why the previous one failed. */
type CheckProgress = { attempt: number; attempts: number; failed?: string | undefined };

/** Progress of a manual check by any user, or `null`. Assumes the end after `limitMs` if its event was lost. */
function useCheckProgress(id: number, limitMs: number): CheckProgress | null {
  const [progress, setProgress] = useState<CheckProgress | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      setProgress(null);
    };
    const stop = subscribeChecking(({ id: of, attempt, attempts, failed }) => {
      if (of !== id) return;
      end();
      if (attempt === undefined || attempts === undefined) return;
      setProgress({ attempt, attempts, failed });
      timer = setTimeout(end, limitMs);
    });
    return () => {
      stop();
      end();
    };
  }, [id, limitMs]);
  return progress;
}

/** Why the monitor's state differs from a manual check. `outdated`: later checks decided otherwise. */
type Difference = "outdated" | "paused" | "flapping" | "locations" | "undecided";

export function whyStateDiffers(
  { status, flapping, locations, lastCheckedAt }: Probed,
  result: CheckResult,
): Difference | undefined {
  if (status === "paused") return "paused";
  if (status === result.status) return undefined;
  if ((locations?.length ?? 0) > 1) return "locations";
  if (lastCheckedAt !== null && Date.parse(lastCheckedAt) > Date.parse(result.startedAt)) return "outdated";
  return result.status === "up" && flapping ? "flapping" : "undecided";
}
