import type { checkNowAnswer, Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import type { AnswerOf } from "../../../app/api.ts";
import { errorText, fieldErrorsOf } from "../../../app/errors.ts";
import { Alert } from "../../../ui/alert.tsx";
import { Reason } from "../../../ui/health/reason.tsx";
import { Spinner } from "../../../ui/button.tsx";
import { shownState } from "../../../ui/badge.tsx";
import { type CheckProgress, useCheckProgress } from "./check-progress.ts";
import { checkTimeoutMs } from "../check-timeout.ts";
import { ResultPanel } from "../result-panel.tsx";
import { whyStateDiffers } from "./result-state.ts";

/** The call that asked for a check. */
type Checked = {
  isLoading: boolean;
  data?: AnswerOf<typeof checkNowAnswer> | undefined;
  error?: unknown;
  reset: () => void;
};

/**
 * The one place that reports a check by hand: that it runs and was repeated, what it found, or why none could be run.
 * Others who look at the monitor see that it runs, too.
 */
export function CheckPanel({ monitor, checked }: { monitor: Monitor; checked: Checked }) {
  const { t } = useTranslation();
  const { id, timeout, retries } = monitor;
  const progress = useCheckProgress(id, checkTimeoutMs(timeout, retries));
  const isRunning = checked.isLoading || progress !== null;
  const result = isRunning ? undefined : checked.data?.result;
  const why = result && whyStateDiffers(monitor, result);
  return (
    <>
      {/* It stays where it is, so that a screen reader announces its content. */}
      <div role="status" className="empty:hidden">
        {isRunning ? (
          <Running progress={progress} />
        ) : (
          result && <p className="sr-only">{t(result.status === "up" ? "monitor.resultUp" : "monitor.resultDown")}</p>
        )}
      </div>
      {!isRunning && checked.error !== undefined && <Alert kind="error">{checkFault(checked.error)}</Alert>}
      {result !== undefined && why !== "outdated" && (
        <ResultPanel
          result={result}
          message={checked.data?.message ?? t("monitor.checkCompleted")}
          attempts={retries + 1}
          note={
            why &&
            t(`monitorDetail.stateDiffers.${why}`, {
              status: t(`status.detail.${shownState(monitor.status, monitor.stale)}`),
              location: result.location,
              attempt: result.attempt,
              attempts: retries + 1,
            })
          }
          onClose={checked.reset}
        />
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

/** Why no check could be run stands on a line of its own. */
function checkFault(error: unknown): string {
  return [errorText(error, "checkFailed"), ...fieldErrorsOf(error).map(({ message }) => message)].join("\n");
}
