import { useTranslation } from "react-i18next";
import { formatUsage } from "../../lib/measures.ts";
import { cx } from "../../ui/cx.ts";

type MeterProps = {
  label: string;
  percent: number | null | undefined;
  /** Old figures are drawn pale. */
  old?: boolean;
};

/** From these percentages on the bar is amber and red; 90 is the default threshold of alerts. */
const warnPercent = 80;
const highPercent = 90;

/** A thin bar with its figure. */
export function Meter({ label, percent, old = false }: MeterProps) {
  const { i18n } = useTranslation();
  const text = formatUsage(percent, i18n.language);
  return (
    <div className="grid grid-cols-[4rem_minmax(0,1fr)_3.5rem] items-center gap-2 text-[13px]">
      <span className="truncate text-muted">{label}</span>
      <Bar percent={percent} old={old} />
      <span className="tnum text-right font-medium">{text}</span>
    </div>
  );
}

/** The bar alone; the figure stands beside it. */
export function Bar({ percent, old = false }: { percent: number | null | undefined; old?: boolean }) {
  const value = percent ?? 0;
  return (
    <span aria-hidden="true" className="block h-1.5 overflow-hidden rounded-full bg-line/80">
      <span
        style={{ width: `${value}%` }}
        className={cx(
          "block h-full rounded-full transition-[width] duration-150",
          old ? "bg-idle" : value >= highPercent ? "bg-down" : value >= warnPercent ? "bg-warn" : "bg-accent",
        )}
      />
    </span>
  );
}
