import { useTranslation } from "react-i18next";
import { formatUsage } from "../../lib/measures.ts";
import { cx } from "../../ui/cx.ts";
import { WarnIcon } from "../../ui/icons.tsx";
import { usageTone } from "./thresholds/usage-tone.ts";

type BarProps = {
  percent: number | null | undefined;
  /** Colours the bar and is marked on it; null or absent: there is none. */
  threshold?: number | null | undefined;
  /** Old figures are drawn pale. */
  old?: boolean | undefined;
};
type MeterProps = BarProps & { label: string };

/** A name, a thin bar and its figure on one line. */
export function Meter({ label, ...figure }: MeterProps) {
  return (
    <div className="grid grid-cols-[4rem_minmax(0,1fr)_4.25rem] items-center gap-2 text-[13px]">
      <span className="truncate text-muted">{label}</span>
      <Bar {...figure} />
      <Figure {...figure} className="justify-end" />
    </div>
  );
}

/** A figure above its bar, for a cell of a table. */
export function MeterCell({ title, ...figure }: BarProps & { title?: string | undefined }) {
  return (
    <span title={title} className="flex w-16 flex-col gap-1 text-[13px]">
      <Figure {...figure} />
      {figure.percent != null && <Bar {...figure} />}
    </span>
  );
}

/** The percentage. One that is above its threshold has an icon, and a text for screen readers. */
function Figure({ percent, threshold, old = false, className }: BarProps & { className?: string }) {
  const { t, i18n } = useTranslation();
  const value = formatUsage(percent, i18n.language);
  const isAbove = !old && usageTone(percent, threshold) === "down";
  return (
    <span className={cx("tnum flex items-center gap-1 font-medium", old && "text-muted", className)}>
      {isAbove && <WarnIcon className="size-3.5 shrink-0 text-down-ink" />}
      {isAbove ? (
        <>
          <span aria-hidden="true" className="text-down-ink">
            {value}
          </span>
          <span className="sr-only">
            {t("agentThresholds.above", { value, threshold: formatUsage(threshold, i18n.language) })}
          </span>
        </>
      ) : (
        value
      )}
    </span>
  );
}

const barTones = { plain: "bg-accent", warn: "bg-warn", down: "bg-down" };

/** The bar alone, with a mark at the threshold; the figure stands beside it. */
export function Bar({ percent, threshold, old = false }: BarProps) {
  const tone = usageTone(percent, threshold);
  return (
    <span aria-hidden="true" className="relative block h-1.5 overflow-hidden rounded-full bg-line/80">
      <span
        style={{ width: `${percent ?? 0}%` }}
        className={cx("block h-full rounded-full transition-[width] duration-150", old ? "bg-idle" : barTones[tone])}
      />
      {threshold != null && <span style={{ left: `${threshold}%` }} className="absolute inset-y-0 w-px bg-ink/45" />}
    </span>
  );
}
