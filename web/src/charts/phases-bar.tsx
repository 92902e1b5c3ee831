import type { Timings } from "@sonde/proto/http/checks";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../lib/format.ts";

const phases = ["dns", "connect", "tls", "firstByte", "rest"] as const;
const looks: Record<(typeof phases)[number], string> = {
  dns: "bg-(--series-2)",
  connect: "bg-(--series-2)/55",
  tls: "bg-(--series-1)/50",
  firstByte: "bg-(--series-1)",
  rest: "bg-(--series-3)/70",
};

/**
 * The phases of one request in proportion, each with its figure. `timings` in milliseconds; what is not in one of the four
 * named phases is the content.
 */
export function PhasesBar({ timings }: { timings: Timings }) {
  const { t, i18n } = useTranslation();
  const { dns, connect, tls, firstByte, total } = timings;
  const shares = { dns, connect, tls, firstByte, rest: Math.max(0, total - dns - connect - tls - firstByte) };
  return (
    <div>
      <p className="flex justify-between text-[13px] text-muted">
        <span>{t("monitor.phases.title")}</span>
        <span className="tnum">
          {t("monitor.phases.total")}:{" "}
          <span className="font-medium text-ink">{formatDuration(total, i18n.language)}</span>
        </span>
      </p>
      <div aria-hidden="true" className="mt-1.5 flex h-3 gap-[2px] overflow-hidden rounded-sm bg-sunken">
        {phases
          .filter((phase) => shares[phase] > 0)
          .map((phase) => (
            <span key={phase} style={{ flexGrow: shares[phase] }} className={`min-w-[2px] ${looks[phase]}`} />
          ))}
      </div>
      <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-[13px]">
        {phases.map((phase) => (
          <div key={phase} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2.5 rounded-[2px] ${looks[phase]}`} />
            <dt className="text-muted">{t(`monitor.phases.${phase}`)}</dt>
            <dd className="tnum font-medium">
              {shares[phase] === 0 ? "–" : formatDuration(shares[phase], i18n.language)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
