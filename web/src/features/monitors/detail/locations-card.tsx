import type { locationHistoriesAnswer } from "@sonde/proto/http/monitors/checks";
import { useTranslation } from "react-i18next";
import type { AnswerOf } from "../../../app/api.ts";
import { usePolling } from "../../../app/hooks.ts";
import { Loaded } from "../../../app/screen.tsx";
import { MetricsPanel } from "../../../charts/metrics-panel.tsx";
import { formatDuration, formatNumber, formatPercent } from "../../../lib/format.ts";
import { type Column, DataTable } from "../../../lists/data-table.tsx";
import { Card } from "../../../ui/card.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { useLocationHistoriesQuery } from "../api.ts";
import type { HistoryQuery } from "./params.ts";

type Histories = AnswerOf<typeof locationHistoriesAnswer>;

/** Polled slowly: the card compares locations over time. */
const everyMs = 60_000;

export function LocationsCard({ id, listed }: { id: number; listed: HistoryQuery }) {
  const { t } = useTranslation();
  const polling = usePolling();
  const pollingInterval = polling === 0 ? everyMs : polling;
  const query = useLocationHistoriesQuery({ id, ...listed }, { pollingInterval });
  return (
    <Card title={t("monitorDetail.locations.title")}>
      <Loaded
        query={{ ...query, data: query.currentData }}
        fallback="fetchMonitors"
        placeholder={<Skeleton className="h-80 w-full" />}
        header={null}
      >
        {(histories) => <Compared histories={histories} />}
      </Loaded>
    </Card>
  );
}

function Compared({ histories: { from, step, locations } }: { histories: Histories }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  if (locations.length === 0) return <EmptyState title={t("monitor.noRecords")} />;
  const fromMs = Date.parse(from);
  const ms = (value: number | null) => formatDuration(value, language);
  const items = locations.map((location) => ({ ...location, id: location.name }));
  const columns: Column<(typeof items)[number]>[] = [
    { head: t("monitor.location"), className: "whitespace-nowrap", cell: ({ name }) => name },
    { head: t("monitor.availability"), numeric: true, cell: ({ uptime }) => formatPercent(uptime, language) },
    {
      head: t("monitorDetail.figures.failures"),
      numeric: true,
      cell: ({ failures }) => formatNumber(failures, language),
    },
    { head: t("monitor.records"), numeric: true, cell: ({ checks }) => formatNumber(checks, language) },
    { head: t("monitor.p50"), numeric: true, cell: ({ p50 }) => ms(p50) },
    { head: t("monitor.p95"), numeric: true, cell: ({ p95 }) => ms(p95) },
  ];
  return (
    <div className="flex flex-col gap-4">
      <MetricsPanel
        title={t("monitorDetail.locations.chart")}
        starts={locations[0]?.times.map((_, index) => fromMs + index * step * 1000)}
        series={locations.map(({ name, times }) => ({ id: name, label: name, values: times }))}
        format={ms}
        empty={t("monitor.noChart")}
        hint={t("monitorDetail.locations.hint")}
      />
      <div className="-mx-4 -mb-2 md:-mx-5">
        <DataTable label={t("monitorDetail.locations.table")} columns={columns} items={items} />
      </div>
    </div>
  );
}
