import type { MetricPoint, MetricsRange } from "@sonde/proto/http/agents/agents";
import { type ComponentProps, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { usePolling } from "../../../app/hooks.ts";
import { QueryError } from "../../../app/screen.tsx";
import { createCursor, CursorContext } from "../../../charts/chart-cursor.tsx";
import { MetricsPanel } from "../../../charts/metrics-panel.tsx";
import { formatFigure, formatRate, formatUsage } from "../../../lib/measures.ts";
import { Card } from "../../../ui/card.tsx";
import { Segmented } from "../../../ui/choice.tsx";
import { Select } from "../../../ui/inputs.tsx";
import { type AgentMetrics, useAgentMetricsQuery } from "../api.ts";
import type { Thresholds } from "../meter.tsx";

const metricsRanges = ["1h", "24h", "7d", "30d"] as const satisfies readonly MetricsRange[];
/** Charts advance with time even without live events. */
const refreshMs = 60_000;

export function MetricsCard({ id, thresholds }: { id: number; thresholds: Thresholds }) {
  const { t } = useTranslation();
  const [searchParams, setSearchParams] = useSearchParams();
  const range = metricsRanges.find((each) => each === searchParams.get("range")) ?? "1h";
  const polling = usePolling();
  const query = useAgentMetricsQuery({ id, range }, { pollingInterval: polling === 0 ? refreshMs : polling });
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
      {query.error !== undefined && query.currentData === undefined ? (
        <QueryError query={query} fallback="fetchAgents" />
      ) : (
        <CursorContext value={cursor}>
          <Panels metrics={query.currentData} thresholds={thresholds} />
        </CursorContext>
      )}
    </Card>
  );
}

const figuresOf = (points: readonly MetricPoint[] | undefined, figure: "avg" | "max" = "avg") =>
  points?.map((point) => point[figure]) ?? [];

function Panels({ metrics, thresholds }: { metrics: AgentMetrics | undefined; thresholds: Thresholds }) {
  const { t, i18n } = useTranslation();
  const [diskFigure, setDiskFigure] = useState<"disks" | "inodes">("disks");
  const words = { empty: t("agent.noChart"), hint: t("agent.chartHint") };
  const { language } = i18n;
  const drawn = useMemo(() => {
    const usage = (points: MetricPoint[] | undefined) =>
      (["avg", "max"] as const).map((id) => ({ id, label: t(`agent.${id}`), values: figuresOf(points, id) }));
    const loads = ["one", "five", "fifteen"] as const;
    return {
      starts: metrics?.cpu.map(({ start }) => Date.parse(start)),
      cpu: usage(metrics?.cpu),
      memory: usage(metrics?.memory),
      load: loads.map((id) => ({ id, label: t(`agent.loads.${id}`), values: figuresOf(metrics?.load[id]) })),
      disks: Object.entries(metrics?.[diskFigure] ?? {}).map(([id, points]) => ({
        id,
        label: id,
        values: figuresOf(points),
      })),
      percent: (value: number | null) => formatUsage(value, language),
      figure: (value: number | null) => formatFigure(value, language),
      rate: (value: number | null) => formatRate(value, language),
    };
  }, [metrics, diskFigure, language, t]);
  const { starts, percent } = drawn;
  return (
    <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
      {(["cpu", "memory"] as const).map((metric) => (
        <MetricsPanel
          key={metric}
          title={t(`agents.${metric}`)}
          {...words}
          starts={starts}
          series={drawn[metric]}
          top={100}
          threshold={thresholds[metric]}
          format={percent}
        />
      ))}
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

type NetworkPanelProps = Pick<ComponentProps<typeof MetricsPanel>, "starts" | "format" | "empty" | "hint"> & {
  network: AgentMetrics["network"] | undefined;
};

function NetworkPanel({ network, ...rest }: NetworkPanelProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<string | null>(null);
  const names = useMemo(() => byTraffic(network ?? {}), [network]);
  const shown = chosen !== null && names.includes(chosen) ? chosen : names[0];
  const series = useMemo(() => {
    const of = shown === undefined ? undefined : network?.[shown];
    return (["receive", "send"] as const).map((id) => ({
      id,
      label: t(`agent.${id}`),
      values: of?.[`${id}Rate`].map(({ avg }) => avg) ?? [],
    }));
  }, [network, shown, t]);
  return (
    <MetricsPanel
      {...rest}
      title={t("agent.network")}
      top={binaryTop(Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))))}
      series={series}
      choice={
        names.length > 1 ? (
          <Select
            aria-label={t("agent.interface")}
            value={shown}
            onChange={({ target }) => setChosen(target.value)}
            className="max-w-48"
          >
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        ) : (
          <span className="font-mono text-[13px] text-faint">{shown}</span>
        )
      }
    />
  );
}

/** Rounds up to 2ⁿ or 3·2ⁿ, so that axis labels are round in KiB and MiB. */
function binaryTop(max: number): number {
  const power = 2 ** Math.ceil(Math.log2(max));
  return power * 0.75 >= max ? power * 0.75 : power;
}

function byTraffic(network: AgentMetrics["network"]): string[] {
  const sum = (points: readonly { avg: number | null }[]) => points.reduce((all, { avg }) => all + (avg ?? 0), 0);
  return Object.entries(network)
    .map(([name, { receiveRate, sendRate }]) => ({ name, traffic: sum(receiveRate) + sum(sendRate) }))
    .toSorted((left, right) => right.traffic - left.traffic || left.name.localeCompare(right.name))
    .map(({ name }) => name);
}
