import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../../../lib/format.ts";
import { cx } from "../../../ui/cx.ts";
import { Reason } from "../../../ui/health/reason.tsx";
import { shownState } from "../../../ui/badge.tsx";

/** Whether a row shows why its monitor is down, instead of how long the answer took. */
export function isFailing({ status, stale, lastError }: Monitor): boolean {
  return shownState(status, stale) === "down" && lastError !== undefined;
}

/** What the last check came to: its response time or, of a monitor that is down, the cause in at most two lines. */
export function Outcome({ monitor, className }: { monitor: Monitor; className?: string }) {
  const { i18n } = useTranslation();
  if (!isFailing(monitor)) {
    return (
      <span className={cx("tnum whitespace-nowrap", className)}>
        {formatDuration(monitor.responseTime, i18n.language)}
      </span>
    );
  }
  return (
    <span
      // The whole of it, in the reader's language, where two lines do not hold it.
      onPointerEnter={({ currentTarget }) => (currentTarget.title = currentTarget.textContent)}
      className={cx("line-clamp-2 text-[13px] leading-snug text-down-ink", className)}
    >
      <Reason text={monitor.lastError} />
    </span>
  );
}
