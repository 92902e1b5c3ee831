import type { Agent } from "@sonde/proto/http/agents/agents";
import { useTranslation } from "react-i18next";
import { formatUsage } from "../../../lib/measures.ts";
import { MeterCell } from "../meter.tsx";
import { fullestDisk, type ThresholdMetric, usagesOf } from "../thresholds/usage-tone.ts";

/** One meter of an agent in a table; a tooltip names its threshold, and of which disk it is. */
export function UsageCell({ agent, metric }: { agent: Agent; metric: ThresholdMetric }) {
  const { t, i18n } = useTranslation();
  const { latest, status, thresholds } = agent;
  const percent = usagesOf(agent)[metric];
  const threshold = thresholds?.[metric];
  const value = formatUsage(percent, i18n.language);
  const limit = threshold == null ? null : formatUsage(threshold, i18n.language);
  const words = limit === null ? value : t("agentThresholds.below", { value, threshold: limit });
  const disk = metric === "disk" ? fullestDisk(latest)?.mountPoint : undefined;
  return (
    <MeterCell
      title={percent == null ? undefined : [disk, words].filter((each) => each !== undefined).join(" ")}
      percent={percent}
      threshold={threshold}
      old={status !== "online"}
    />
  );
}
