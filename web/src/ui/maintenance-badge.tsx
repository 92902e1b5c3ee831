import { useTranslation } from "react-i18next";
import { Badge } from "./badge.tsx";
import { icon } from "./icons.tsx";

/** Not among the icons of the first page, which has no use for it. */
const WrenchIcon = icon(
  <path d="M13.4 4.4 11 6.8 9.2 5l2.4-2.4a3.6 3.6 0 0 0-4.7 4.7L2.6 11.6l1.8 1.8 4.3-4.3a3.6 3.6 0 0 0 4.7-4.7z" />,
);

/** Says that something is in maintenance, or was as it was checked; nothing where it is not. */
export function MaintenanceBadge({ when }: { when: true | undefined }) {
  const { t } = useTranslation();
  if (when !== true) return null;
  return (
    <Badge tone="maintenance" className="shrink-0 whitespace-nowrap">
      <WrenchIcon className="size-3" />
      {t("cells.maintenance")}
    </Badge>
  );
}
