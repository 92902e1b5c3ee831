import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { useIsAhead } from "../../../lib/hooks.ts";
import { SilentIcon, WrenchIcon } from "../../../ui/icons.tsx";
import { Until } from "../../../ui/until.tsx";
import { CertificateDays, useIsExpiring } from "./cells.tsx";

/** What a row says below its name: maintenance, silence and a near expiry. `null` if there is nothing to say. */
export function MonitorNotes({ monitor }: { monitor: Monitor }) {
  const { t } = useTranslation();
  const { inMaintenance, silencedUntil, certificateExpiresAt } = monitor;
  const isSilent = useIsAhead(silencedUntil);
  const isExpiring = useIsExpiring(certificateExpiresAt);
  if (inMaintenance !== true && !isSilent && !isExpiring) return null;
  return (
    <span className="flex min-w-0 items-center gap-x-2.5 text-[12px] leading-4 whitespace-nowrap text-maintenance-ink max-md:flex-wrap">
      {inMaintenance === true && (
        <span title={t("cells.maintenance")} className="flex min-w-4 items-center gap-1">
          <WrenchIcon className="size-3 shrink-0" />
          <span className="truncate">{t("cells.maintenance")}</span>
        </span>
      )}
      {isSilent && silencedUntil !== undefined && (
        <span className="flex min-w-4 shrink-0 items-center gap-1">
          <SilentIcon className="size-3 shrink-0" />
          <span className="inline-block first-letter:uppercase">
            {t("incidents.silencedUntil")} <Until at={silencedUntil} />
          </span>
        </span>
      )}
      {isExpiring && (
        <span className="truncate">
          <span className="text-faint">{t("monitorList.certificate.title")} </span>
          <CertificateDays at={certificateExpiresAt} />
        </span>
      )}
    </span>
  );
}
