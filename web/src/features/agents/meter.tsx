import type { Agent, Sample, ThresholdsInForce } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatFigure, formatRate, formatUsage } from "../../lib/measures.ts";
import { cx } from "../../ui/cx.ts";
import { ArrowDownIcon, ArrowUpIcon, WarnIcon } from "../../ui/icons.tsx";

type BarProps = {
  percent: number | null | undefined;
  /** Colours the bar and is marked on it. Optional. */
  threshold?: number | null | undefined;
  old?: boolean | undefined;
};
export function Meter({ label, ...figure }: BarProps & { label: string }) {
  return (
    <div className="grid grid-cols-[4rem_minmax(0,1fr)_4.25rem] items-center gap-2 text-[13px]">
      <span className="truncate text-muted">{label}</span>
      <Bar {...figure} />
      <Figure {...figure} className="justify-end" />
    </div>
  );
}

/** A percentage. Above its threshold it has an icon and a text for screen readers. */
export function Figure({ percent, threshold, old = false, className }: BarProps & { className?: string }) {
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

const directions = [
  { id: "receive", rate: "receiveRate", Icon: ArrowDownIcon },
  { id: "send", rate: "sendRate", Icon: ArrowUpIcon },
] as const;

/** Traffic of the busiest interface. In a list there is only one. */
export function Traffic({ network, className }: { network: Sample["network"]; className?: string }) {
  const { t, i18n } = useTranslation();
  const busiest = network?.[0];
  if (busiest === undefined) return <span className={className}>–</span>;
  return (
    <span title={busiest.interface} className={cx("tnum flex", className)}>
      {directions.map(({ id, rate, Icon }) => (
        <span key={id} className="flex items-center gap-0.5 whitespace-nowrap">
          <Icon className="size-3 shrink-0 text-faint" />
          <span className="sr-only">{t(`agent.${id}`)} </span>
          {formatRate(busiest[rate], i18n.language)}
        </span>
      ))}
    </span>
  );
}

/** Percent by metric. `null`: no notification. */
export type Thresholds = Pick<ThresholdsInForce, "cpu" | "memory" | "disk">;
export const thresholdMetrics = ["cpu", "memory", "disk"] as const satisfies readonly (keyof Thresholds)[];
export type ThresholdMetric = (typeof thresholdMetrics)[number];

/** Distance below the threshold, in points, at which a figure becomes a warning. */
const nearPoints = 10;

/** Returns the tone of a percentage: above its threshold as in an incident, near it, or normal. */
export function usageTone(
  percent: number | null | undefined,
  threshold: number | null | undefined,
): "plain" | "warn" | "down" {
  if (percent == null || threshold == null) return "plain";
  return percent > threshold ? "down" : percent > threshold - nearPoints ? "warn" : "plain";
}

/** Returns the fullest disk. In a list there is only one. */
export function fullestDisk(sample: Sample | undefined) {
  return sample?.disks?.toSorted((left, right) => right.usage - left.usage)[0];
}

export function usagesOf({ latest }: Agent): Record<ThresholdMetric, number | null | undefined> {
  return { cpu: latest?.cpu?.usage, memory: latest?.memory?.usage, disk: fullestDisk(latest)?.usage };
}

export function formatLoads({ one, five, fifteen }: NonNullable<Sample["load"]>, language: string): string {
  return [one, five, fifteen].map((each) => formatFigure(each, language)).join(" ");
}
