import { type GrafanaDashboard, quantiles, rate, share, value } from "../dashboard.ts";

export const overview: GrafanaDashboard = {
  uid: "sonde-overview",
  title: "Sonde: overview",
  about: "Whether Sonde's services are ready, and how many requests and calls they answer, how well and how fast.",
  rows: [
    {
      title: "Ready",
      panels: [
        {
          title: "Replicas that are ready",
          about: "Of each service, those whose every condition holds. Without a number nobody tells of it.",
          stat: true,
          queries: [
            {
              expr: 'sum by (service) (min by (service, instance, process) (sonde_ready{namespace=~"$namespace"}))',
              legend: "{{service}}",
            },
          ],
        },
        {
          title: "Conditions that do not hold",
          about: "bus is NATS, database PostgreSQL. Nothing where all hold.",
          queries: [
            { expr: 'sonde_ready{namespace=~"$namespace"} == 0', legend: "{{service}} {{check}} {{instance}}" },
          ],
        },
        {
          title: "Versions",
          stat: true,
          queries: [value("sonde_build_info", { by: "version", fold: "count" })],
        },
      ],
    },
    {
      title: "Requests of people",
      panels: [
        {
          title: "Requests by status",
          unit: "reqps",
          stacked: true,
          queries: [rate("sonde_http_request_seconds_count", "status")],
        },
        {
          title: "Share that fails",
          about: "5xx of all, by route.",
          unit: "percentunit",
          queries: [share("sonde_http_request_seconds_count", 'status=~"5.."', "route")],
        },
        { title: "Time to answer", unit: "s", queries: quantiles("sonde_http_request_seconds", [0.5, 0.99]) },
        { title: "Open event streams", queries: [value("sonde_sse_streams_open", { by: "instance" })] },
        { title: "Logins", unit: "reqps", stacked: true, queries: [rate("sonde_auth_logins_total", "outcome")] },
      ],
    },
    {
      title: "Calls between services",
      panels: [
        {
          title: "Calls by service",
          unit: "reqps",
          stacked: true,
          queries: [rate("sonde_rpc_server_seconds_count", "service")],
        },
        {
          title: "Share that fails",
          about: "As the caller sees it: nobody answered in time, or with a fault of Sonde's.",
          unit: "percentunit",
          queries: [share("sonde_rpc_client_seconds_count", 'code=~"internal|unavailable"', "service")],
        },
        { title: "Time to answer, p99", unit: "s", queries: quantiles("sonde_rpc_server_seconds", [0.99], "service") },
      ],
    },
    {
      title: "Processes",
      panels: [
        {
          title: "Event loop lag, p99",
          about: "Above a quarter of a second a process is short of processor time.",
          unit: "s",
          queries: [ofSonde("nodejs_eventloop_lag_p99_seconds")],
        },
        { title: "Memory", unit: "bytes", queries: [ofSonde("process_resident_memory_bytes")] },
        {
          title: "Processor time",
          about: "1 is one core.",
          queries: [ofSonde("rate(process_cpu_seconds_total[$__rate_interval])")],
        },
        {
          title: "Connections to PostgreSQL in use",
          queries: [value("sonde_database_connections", { by: "schema", where: 'state="used"' })],
        },
        {
          title: "Queries that wait for a connection",
          about: "Always 0, but for moments.",
          queries: [value("sonde_database_waiting", { by: "schema" })],
        },
        {
          title: "Lost connections to NATS, failed periodic work",
          queries: [
            rate("sonde_bus_disconnects_total", "instance", { legend: "lost {{instance}}" }),
            rate("sonde_timer_faults_total", "work", { legend: "failed: {{work}}" }),
          ],
        },
      ],
    },
  ],
};

/** A metric of Node.js, of Sonde's processes alone. */
function ofSonde(metric: string) {
  return {
    expr: `${metric} and on (namespace, instance, process) sonde_build_info{namespace=~"$namespace"}`,
    legend: "{{component}} {{instance}} {{process}}",
  };
}
