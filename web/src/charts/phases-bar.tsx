import type { Timings } from "@sonde/proto/http/monitors/checks";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../lib/format.ts";
import { phaseLooks, sharesOf } from "./phases.ts";

/** The phases of one check in proportion, each with its figure. `timings` in milliseconds. */
export function PhasesBar({ timings }: { timings: Timings }) {
  const { t, i18n } = useTranslation();
  const shares = sharesOf(timings);
  return (
    <div>
      <p className="flex justify-between text-[13px] text-muted">
        <span>{t("monitor.phases.title")}</span>
        <span className="tnum">
          {t("monitor.phases.total")}:{" "}
          <span className="font-medium text-ink">{formatDuration(timings.total, i18n.language)}</span>
        </span>
      </p>
      <div aria-hidden="true" className="mt-1.5 flex h-3 gap-[2px] overflow-hidden rounded-sm bg-sunken">
        {shares
          .filter(([, share]) => share > 0)
          .map(([phase, share]) => (
            <span key={phase} style={{ flexGrow: share }} className={`min-w-[2px] ${phaseLooks[phase].ground}`} />
          ))}
      </div>
      <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-[13px]">
        {shares.map(([phase, share]) => (
          <div key={phase} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2.5 rounded-[2px] ${phaseLooks[phase].ground}`} />
            <dt className="text-muted">{t(`monitor.phases.${phase}`)}</dt>
            <dd className="tnum font-medium">{share === 0 ? "–" : formatDuration(share, i18n.language)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
