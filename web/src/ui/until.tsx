import { useTranslation } from "react-i18next";
import { formatDateTime, formatLocalDay, formatTime } from "../lib/format.ts";
import { useFromNow, useIsAhead } from "../lib/hooks.ts";
import { Badge } from "./badge.tsx";
import { SilentIcon } from "./icons.tsx";

const dayMs = 86_400_000;

/** End of something in progress (ISO 8601), to the minute: `08:00`, with the day if it is not within a day. */
export function Until({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const isNear = useFromNow((nowMs) => Date.parse(at) - nowMs < dayMs);
  const time = formatTime(at, i18n.language);
  return (
    <time dateTime={at} title={formatDateTime(at, i18n.language)} className="tnum">
      {isNear ? time : `${formatLocalDay(at, i18n.language)} ${time}`}
    </time>
  );
}

export function SilencedBadge({ until }: { until: string | undefined }) {
  const { t } = useTranslation();
  const isSilent = useIsAhead(until);
  if (until === undefined || !isSilent) return null;
  return (
    <Badge tone="maintenance" icon={SilentIcon} className="shrink-0 whitespace-nowrap">
      <span className="inline-block first-letter:uppercase">
        {t("incidents.silencedUntil")} <Until at={until} />
      </span>
    </Badge>
  );
}
