import { useTranslation } from "react-i18next";
import { OfflineIcon } from "../../ui/icons.tsx";
import { useAppSelector } from "../hooks.ts";

/** Shows that what is on screen may be old, as long as the live connection is lost. Otherwise nothing. */
export function LiveNote() {
  const { t } = useTranslation();
  const status = useAppSelector((state) => state.live.status);
  return (
    <span role="status" data-live={status}>
      {status === "lost" && (
        <span
          title={t("live.lost")}
          className="fade-in inline-flex h-7 items-center gap-1.5 rounded-full border border-warn/55 bg-warn-soft px-2.5 text-[13px] text-warn-ink"
        >
          <OfflineIcon />
          <span className="hidden md:inline">{t("live.short")}</span>
          <span className="sr-only">{t("live.lost")}</span>
        </span>
      )}
    </span>
  );
}
