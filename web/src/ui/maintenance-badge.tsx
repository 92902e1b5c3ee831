import { useTranslation } from "react-i18next";
import { Badge } from "./badge.tsx";
import { cx } from "./cx.ts";
import { WrenchIcon } from "./icons.tsx";

/** Marks what is in maintenance, or was as it was checked; nothing where it is not. */
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

/** A swatch of the stripes that stand for maintenance, and the word: for a legend or a line of a tooltip. */
export function MaintenanceMark({ className }: { className?: string }) {
  const { t } = useTranslation();
  return (
    <span className={cx("inline-flex items-center gap-1.5", className)}>
      <span aria-hidden="true" className="striped h-2.5 w-4 shrink-0 rounded-[2px]" />
      {t("cells.maintenance")}
    </span>
  );
}
