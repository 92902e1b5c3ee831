import { factNames } from "@sonde/proto/http/monitors/pings";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { usePolling } from "../../../app/hooks.ts";
import { createCursor, CursorContext } from "../../../charts/chart-cursor.tsx";
import { MetricsPanel } from "../../../charts/metrics-panel.tsx";
import { formatNumber, none } from "../../../lib/format.ts";
import { Card } from "../../../ui/card.tsx";
import { type HeartbeatMonitor, usePingFactsQuery, usePingsInfiniteQuery } from "./api.ts";

/** Charts what the job reports about its runs, if it does. */
export function FactsCard({ monitor: { id } }: { monitor: HeartbeatMonitor }) {
  const { t, i18n } = useTranslation();
  const { data: newest } = usePingsInfiniteQuery(id);
  const reports = newest?.pages[0]?.pings.some(({ facts }) => facts !== undefined) === true;
  const { data } = usePingFactsQuery(id, { pollingInterval: usePolling(), skip: !reports });
  const [cursor] = useState(createCursor);
  const [starts, drawn] = useMemo(() => {
    const pings = (data?.pings ?? []).toReversed();
    const series = factNames.map((name) => ({ name, values: pings.map(({ facts }) => facts?.[name] ?? null) }));
    return [
      pings.map(({ at }) => Date.parse(at)),
      series.filter(({ values }) => values.some((value) => value !== null)),
    ] as const;
  }, [data]);
  if (drawn.length === 0) return null;
  const format = (value: number | null) => (value === null ? none : formatNumber(value, i18n.language));
  return (
    <Card title={t("heartbeat.facts.title")}>
      <CursorContext value={cursor}>
        <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
          {drawn.map(({ name, values }) => (
            <MetricsPanel
              key={name}
              title={t(`heartbeat.facts.${name}`)}
              starts={starts}
              series={[{ id: name, label: t("heartbeat.facts.reported"), values }]}
              format={format}
              empty=""
              hint={t("agent.chartHint")}
            />
          ))}
        </div>
      </CursorContext>
    </Card>
  );
}
