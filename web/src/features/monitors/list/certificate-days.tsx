import { useTranslation } from "react-i18next";
import { useFromNow } from "../../../lib/hooks.ts";
import { formatDateTime, formatDays } from "../../../lib/format.ts";
import { cx } from "../../../ui/cx.ts";

const dayMs = 86_400_000;
/** From here on it is worth a look: renewals come 30 days before the end as a rule, and most checks fail at 14. */
const soonDays = 14;

/** How many days a certificate is still valid; nothing where there is none. `named` adds what the days are of. */
export function CertificateDays({ at, named = false }: { at: string | undefined; named?: boolean }) {
  const { t, i18n } = useTranslation();
  const days = useFromNow((nowMs) => (at === undefined ? 0 : Math.floor((Date.parse(at) - nowMs) / dayMs)));
  if (at === undefined) return null;
  const left = days < 0 ? t("monitorList.certificate.expired") : formatDays(days, i18n.language);
  const date = formatDateTime(at, i18n.language);
  return (
    <time
      dateTime={at}
      title={t(days < 0 ? "monitorList.certificate.since" : "monitorList.certificate.until", { date })}
      className={cx(
        "tnum whitespace-nowrap",
        days < 0 ? "text-down-ink" : days <= soonDays ? "text-warn-ink" : "text-muted",
      )}
    >
      {named ? t("monitorList.certificate.short", { left }) : left}
    </time>
  );
}
