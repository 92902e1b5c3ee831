import type { Timings } from "@sonde/proto/http/monitors/checks";
import { useTranslation } from "react-i18next";
import { formatDuration } from "../lib/format.ts";

/** Phases of one check in proportion, each with its time. `timings` are in milliseconds. */
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

/** Phases of a check in order. `rest` is the content after the first byte. */
export const phases = ["dns", "connect", "tls", "firstByte", "rest"] as const;
export type Phase = (typeof phases)[number];

/** Look of a phase as an element's background and as a chart shape. */
export const phaseLooks: Record<Phase, { ground: string; fill: string; opacity: number }> = {
  dns: { ground: "bg-(--series-2)", fill: "var(--series-2)", opacity: 1 },
  connect: { ground: "bg-(--series-2)/55", fill: "var(--series-2)", opacity: 0.55 },
  tls: { ground: "bg-(--series-1)/50", fill: "var(--series-1)", opacity: 0.5 },
  firstByte: { ground: "bg-(--series-1)", fill: "var(--series-1)", opacity: 1 },
  rest: { ground: "bg-(--series-3)/70", fill: "var(--series-3)", opacity: 0.7 },
};

/** Milliseconds of each phase. Omits missing phases and the content of a response that never began. */
export function sharesOf({ total, ...named }: Timings): [Phase, number][] {
  const { firstByte } = named;
  const known = Object.values(named).reduce((sum, each) => sum + (each ?? 0), 0);
  const shares = { ...named, rest: firstByte ? Math.max(0, total - known) : undefined };
  return phases.flatMap((phase) => (shares[phase] === undefined ? [] : [[phase, shares[phase]]]));
}

/** End of each phase when stacked, in milliseconds, in order. A missing phase has no height. */
export function stackPhases(timings: Timings | undefined): number[] | null {
  if (timings === undefined) return null;
  const shares = new Map(sharesOf(timings));
  let sum = 0;
  return phases.map((phase) => (sum += shares.get(phase) ?? 0));
}
