import type { EndingCertificates } from "@sonde/proto/http/dashboard";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { paths } from "../../app/paths.ts";
import { useNow } from "../../lib/hooks.ts";
import { formatDateTime, formatNumber, formatRelative } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/cx.ts";
import { CrossIcon, WarnIcon } from "../../ui/icons.tsx";

const shown = 5;
const expiring = `${paths.monitors}?status=expiring`;

/** Monitors whose certificate ends within 14 days, the first to end leading. */
export function CertificatesCard({ certificates: { total, soonest } }: { certificates: EndingCertificates }) {
  const { t, i18n } = useTranslation();
  return (
    <Card
      flush
      title={
        <>
          {t("dashboard.certificates.title")}{" "}
          <Link to={expiring} className="tnum font-normal text-muted hover:underline">
            {formatNumber(total, i18n.language)}
          </Link>
        </>
      }
    >
      <ul className="divide-y divide-line">
        {soonest.slice(0, shown).map(({ monitorId, name, expiresAt }) => (
          <li key={monitorId} className="flex items-center justify-between gap-3 px-4 py-2 md:px-5">
            <Link
              to={paths.monitor(monitorId)}
              title={name}
              className="inline-flex min-h-6 min-w-0 items-center font-medium hover:underline"
            >
              <span className="truncate">{name}</span>
            </Link>
            <End at={expiresAt} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function End({ at }: { at: string }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  const isPast = Date.parse(at) <= nowMs;
  const Icon = isPast ? CrossIcon : WarnIcon;
  const when = formatRelative(at, nowMs, i18n.language);
  return (
    <time
      dateTime={at}
      title={formatDateTime(at, i18n.language)}
      className={cx("tnum flex shrink-0 items-center gap-1.5 text-[13px]", isPast ? "text-down-ink" : "text-warn-ink")}
    >
      <Icon className="size-3.5" />
      {isPast ? t("dashboard.certificates.ended", { when }) : t("dashboard.certificates.ends", { when })}
    </time>
  );
}
