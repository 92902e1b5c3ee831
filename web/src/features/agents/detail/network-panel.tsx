import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { MetricsPanel } from "../../../charts/metrics-panel.tsx";
import { Select } from "../../../ui/inputs.tsx";
import type { AgentMetrics } from "../api.ts";

type NetworkPanelProps = {
  starts: readonly number[] | undefined;
  network: AgentMetrics["network"] | undefined;
  format: (value: number | null) => string;
  empty: string;
  hint: string;
};

/** Receive and send of one interface at a time; the busiest comes first. */
export function NetworkPanel({ network, ...rest }: NetworkPanelProps) {
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

/** The next 2ⁿ or 3·2ⁿ, so that the marks of the scale are round in KiB and MiB. */
function binaryTop(most: number): number {
  const power = 2 ** Math.ceil(Math.log2(most));
  return power * 0.75 >= most ? power * 0.75 : power;
}

function byTraffic(network: AgentMetrics["network"]): string[] {
  const sum = (points: readonly { avg: number | null }[]) => points.reduce((all, { avg }) => all + (avg ?? 0), 0);
  return Object.entries(network)
    .map(([name, { receiveRate, sendRate }]) => ({ name, traffic: sum(receiveRate) + sum(sendRate) }))
    .toSorted((left, right) => right.traffic - left.traffic || left.name.localeCompare(right.name))
    .map(({ name }) => name);
}
