import { useTranslation } from "react-i18next";
import { type Phase, phaseLooks } from "./phases-bar.tsx";
import { MaintenanceMark } from "../ui/badge.tsx";

const marks = [
  { id: "p50", look: "h-[3px] bg-(--series-1)" },
  { id: "p95", look: "h-[2px] bg-(--series-2)" },
  { id: "max", look: "h-0 border-t-2 border-dotted border-(--series-3)" },
] as const;

const item = "flex items-center gap-1.5";

type LegendProps = {
  phases?: readonly Phase[] | undefined;
  hasMaintenance: boolean;
  peak?: string | undefined;
};

/** Legend of the lines. Outside the chart, which loads later, so that the layout does not shift. */
export function ResponseLegend({ phases, hasMaintenance, peak }: LegendProps) {
  const { t } = useTranslation();
  return (
    <ul className="flex flex-wrap gap-x-4 text-[13px] text-muted">
      {phases === undefined
        ? marks.map(({ id, look }) => (
            <li key={id} className={item}>
              <span aria-hidden="true" className={`w-4 ${look}`} />
              {t(`monitor.${id}`)}
              {id === "max" && peak}
            </li>
          ))
        : phases.map((phase) => (
            <li key={phase} className={item}>
              <span aria-hidden="true" className={`size-2.5 rounded-[2px] ${phaseLooks[phase].ground}`} />
              {t(`monitor.phases.${phase}`)}
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
