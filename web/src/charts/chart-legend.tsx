import { useTranslation } from "react-i18next";
import { MaintenanceMark } from "../ui/maintenance-mark.tsx";

const marks = [
  { id: "p50", look: "h-[3px] bg-(--series-1)" },
  { id: "p95", look: "h-[2px] bg-(--series-2)" },
  { id: "max", look: "h-0 border-t-2 border-dotted border-(--series-3)" },
] as const;

/** Which line is which. Outside of the chart, which is loaded later, so that nothing moves then. */
export function ResponseLegend({ hasMaintenance }: { hasMaintenance: boolean }) {
  const { t } = useTranslation();
  return (
    <ul className="flex flex-wrap gap-x-4 text-[13px] text-muted">
      {marks.map(({ id, look }) => (
        <li key={id} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={`w-4 ${look}`} />
          {t(`monitor.${id}`)}
        </li>
      ))}
      {hasMaintenance && (
        <li>
          <MaintenanceMark />
        </li>
      )}
    </ul>
  );
}
