import type { MetricPoint } from "@sonde/proto/http/agents/agents";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { errorText } from "../../../app/errors.ts";
import { usePolling } from "../../../app/hooks.ts";
import { createCursor, CursorContext } from "../../../charts/chart-cursor.tsx";
import { MetricsPanel } from "../../../charts/metrics-panel.tsx";
import { type AgentMetrics, useAgentMetricsQuery } from "../api.ts";
import { metricsRanges } from "../list/list.ts";
import { NetworkPanel } from "./network-panel.tsx";
import type { Thresholds } from "../thresholds/usage-tone.ts";
import { formatFigure, formatRate, formatUsage } from "../../../lib/measures.ts";
import { Card } from "../../../ui/card.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { ErrorState } from "../../../ui/states.tsx";

/** Charts grow with time even where no live event comes. */
const refreshMs = 60_000;

/** What the host's figures were over an hour, a day or a month; the range stands in the address. */
export function MetricsCard({ id, thresholds }: { id: number; thresholds: Thresholds }) {
  const { t } = useTranslation();
  const [searchParams, setSearchParams] = useSearchParams();
  const range = metricsRanges.find((each) => each === searchParams.get("range")) ?? "1h";
  const polling = usePolling();
  const query = useAgentMetricsQuery({ id, range }, { pollingInterval: polling === 0 ? refreshMs : polling });
  const { currentData, error, isFetching, refetch } = query;
  const [cursor] = useState(createCursor);
  return (
    <Card
      title={t("agent.history")}
      actions={
        <Segmented
          label={t("agent.range")}
          value={range}
          onChange={(next) => setSearchParams(next === "1h" ? {} : { range: next }, { replace: true })}
          options={metricsRanges.map((value) => ({ value, label: t(`agent.ranges.${value}`) }))}
        />
      }
    >
      {error !== undefined && currentData === undefined ? (
        <ErrorState message={errorText(error, "fetchAgents")} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <CursorContext value={cursor}>
          <Panels metrics={currentData} thresholds={thresholds} />
        </CursorContext>
      )}
    </Card>
  );
}

const avg = (points: readonly MetricPoint[] | undefined) => points?.map((point) => point.avg) ?? [];
const max = (points: readonly MetricPoint[] | undefined) => points?.map((point) => point.max) ?? [];

function Panels({ metrics, thresholds }: { metrics: AgentMetrics | undefined; thresholds: Thresholds }) {
  const { t, i18n } = useTranslation();
  const [diskFigure, setDiskFigure] = useState<"disks" | "inodes">("disks");
  const words = { empty: t("agent.noChart"), hint: t("agent.chartHint") };
  const { language } = i18n;
  const drawn = useMemo(() => {
    const usage = (points: MetricPoint[] | undefined) => [
      { id: "avg", label: t("agent.avg"), values: avg(points) },
      { id: "max", label: t("agent.max"), values: max(points) },
    ];
    const loads = ["one", "five", "fifteen"] as const;
    return {
      starts: metrics?.cpu.map(({ start }) => Date.parse(start)),
      cpu: usage(metrics?.cpu),
      memory: usage(metrics?.memory),
      load: loads.map((id) => ({ id, label: t(`agent.loads.${id}`), values: avg(metrics?.load[id]) })),
      disks: Object.entries(metrics?.[diskFigure] ?? {}).map(([id, points]) => ({
        id,
        label: id,
        values: avg(points),
      })),
      percent: (value: number | null) => formatUsage(value, language),
      figure: (value: number | null) => formatFigure(value, language),
      rate: (value: number | null) => formatRate(value, language),
    };
  }, [metrics, diskFigure, language, t]);
  const { starts, percent } = drawn;
  return (
    <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
      <MetricsPanel
        title={t("agents.cpu")}
        {...words}
        starts={starts}
        series={drawn.cpu}
        top={100}
        threshold={thresholds.cpu}
        format={percent}
      />
      <MetricsPanel
        title={t("agents.memory")}
        {...words}
        starts={starts}
        series={drawn.memory}
        top={100}
        threshold={thresholds.memory}
        format={percent}
      />
      <MetricsPanel title={t("agent.load")} {...words} starts={starts} series={drawn.load} format={drawn.figure} />
      <MetricsPanel
        title={t("agent.disks")}
        {...words}
        starts={starts}
        series={drawn.disks}
        top={100}
        threshold={diskFigure === "disks" ? thresholds.disk : null}
        format={percent}
        choice={
          <Select
            aria-label={t("agent.diskFigure")}
            value={diskFigure}
            onChange={({ target }) => setDiskFigure(target.value === "inodes" ? "inodes" : "disks")}
          >
            <option value="disks">{t("agent.usage")}</option>
            <option value="inodes">{t("agent.inodesUsage")}</option>
          </Select>
        }
      />
      <NetworkPanel {...words} starts={starts} network={metrics?.network} format={drawn.rate} />
    </div>
  );
}
