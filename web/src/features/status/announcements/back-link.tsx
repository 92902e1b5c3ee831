import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { announcementsPath } from "../../../app/announcements/addresses.ts";
import { ChevronLeftIcon } from "../../../ui/icons.tsx";

/** Back to all announcements. */
export function BackLink() {
  const { t } = useTranslation();
  return (
    <Link
      to={announcementsPath}
      className="mb-2 inline-flex min-h-6 items-center gap-1 text-[13px] text-muted hover:text-ink"
    >
      <ChevronLeftIcon className="size-3.5" />
      {t("announcements.back")}
    </Link>
  );
}
