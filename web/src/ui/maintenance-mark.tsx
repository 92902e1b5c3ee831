import { useTranslation } from "react-i18next";
import { cx } from "./cx.ts";

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
