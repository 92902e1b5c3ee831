import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ChevronLeftIcon } from "../../../ui/icons.tsx";
import { maintenancePath } from "./addresses.ts";

/** Back to all windows. */
export function BackLink() {
  const { t } = useTranslation();
  return (
    <Link
      to={maintenancePath}
      className="mb-2 inline-flex min-h-6 items-center gap-1 text-[13px] text-muted hover:text-ink"
    >
      <ChevronLeftIcon className="size-3.5" />
      {t("maintenance.back")}
    </Link>
  );
}
