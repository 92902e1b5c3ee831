import { useTranslation } from "react-i18next";
import { Badge } from "./badge.tsx";
import { WrenchIcon } from "./icons.tsx";

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
