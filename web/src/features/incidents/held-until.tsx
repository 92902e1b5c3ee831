import { useTranslation } from "react-i18next";
import { Time } from "../../ui/time.tsx";

/** When an alert that is held is decided again. */
export function HeldUntil({ at }: { at: string }) {
  const { t } = useTranslation();
  return (
    <p className="text-[13px] text-muted">
      {t("incident.heldUntil")} <Time at={at} />
    </p>
  );
}
