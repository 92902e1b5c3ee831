import { type GrafanaDashboard, quantiles, rate, value } from "../dashboard.ts";

export const agents: GrafanaDashboard = {
  uid: "sonde-agents",
  title: "Sonde: agents",
  about: "What agents report, and what becomes of it.",
  rows: [
    {
      title: "Reports",
      panels: [
        {
          title: "Requests by status",
          unit: "reqps",
          stacked: true,
          queries: [rate("sonde_agent_request_seconds_count", "path, status")],
        },
        { title: "Time to answer", unit: "s", queries: quantiles("sonde_agent_request_seconds", [0.5, 0.99]) },
        {
          title: "Refused on the way",
          about: "By the gateway before agent-ingest answered, and by agent-ingest for want of room.",
          unit: "reqps",
          queries: [
            rate("sonde_agent_path_refused_total", "code", { legend: "gateway: {{code}}" }),
            rate("sonde_agent_reports_refused_total", "instance", { legend: "no room {{instance}}" }),
          ],
        },
      ],
    },
    {
      title: "Samples",
      panels: [
        {
          title: "Samples",
          unit: "ops",
          queries: [
            rate("sonde_samples_stored_total", "namespace", { legend: "taken in" }),
            rate("sonde_samples_applied_total", "namespace", { legend: "changed the present state" }),
            rate("sonde_metrics_rows_total", "namespace", { where: 'stream="SAMPLES"', legend: "in ClickHouse" }),
          ],
        },
        {
          title: "Samples that changed nothing, by reason",
          unit: "ops",
          queries: [rate("sonde_samples_ignored_total", "reason")],
        },
        {
          title: "Messages of SAMPLES that a reader has yet to handle",
          queries: [value("sonde_stream_lag_messages", { by: "reader", fold: "max", where: 'stream="SAMPLES"' })],
        },
      ],
    },
    {
      title: "State",
      panels: [
        { title: "Changes of agents' state", unit: "ops", queries: [rate("sonde_agent_transitions_total", "to")] },
        {
          title: "Keys at more than one machine",
          about: "Clones of a disk share their agent's key.",
          unit: "ops",
          queries: [rate("sonde_agent_duplicate_keys_total", "namespace", { legend: "noticed" })],
        },
        {
          title: "Agents with more incidents than may open",
          unit: "ops",
          queries: [rate("sonde_agent_incidents_held_back_total", "namespace", { legend: "noticed" })],
        },
      ],
    },
  ],
};
