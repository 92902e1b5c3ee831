import { type GrafanaDashboard, type Query, watchedVariable } from "../dashboard.ts";

/** Of what `/api/metrics` has; a series is named by its monitor or agent, and a label more. */
const state = (metric: string, { where = "", also = "" } = {}): Query => ({
  expr: matching(metric, where),
  legend: also === "" ? "{{name}}" : `{{name}} {{${also}}}`,
});
const matching = (metric: string, where = "") => `${metric}{job=~"$job"${where === "" ? "" : `, ${where}`}}`;
const counted = (expr: string, legend: string): Query => ({ expr: `count(${expr}) or vector(0)`, legend });
/** Of many the first of an order. */
const first = (by: "topk" | "bottomk", { expr, legend }: Query): Query => ({ expr: `${by}(20, ${expr})`, legend });

export const watched: GrafanaDashboard = {
  uid: "sonde-watched",
  title: "Sonde: monitors and agents",
  about: "What Sonde watches, as it answers at /api/metrics: docs/prometheus.md has how to scrape it.",
  variable: watchedVariable,
  rows: [
    {
      title: "Now",
      panels: [
        {
          title: "Monitors",
          about: "One without data is neither up nor down.",
          stat: true,
          queries: [
            counted(`${matching("sonde_monitor_up")} == 1`, "up"),
            counted(`${matching("sonde_monitor_up")} == 0`, "down"),
            counted(`${matching("sonde_monitor_stale")} == 1`, "no data"),
            counted(`${matching("sonde_monitor_paused")} == 1`, "paused"),
            counted(`${matching("sonde_monitor_in_maintenance")} == 1`, "in maintenance"),
          ],
        },
        {
          title: "Agents",
          stat: true,
          queries: [
            counted(`${matching("sonde_agent_up")} == 1`, "online"),
            counted(`${matching("sonde_agent_up")} == 0`, "offline"),
          ],
        },
        {
          title: "Open incidents",
          stat: true,
          queries: [{ expr: `sum by (kind) (${matching("sonde_incident_open")})`, legend: "{{kind}}" }],
        },
      ],
    },
    {
      title: "Monitors",
      panels: [
        { title: "Down", queries: [{ ...state("sonde_monitor_up"), expr: `${matching("sonde_monitor_up")} == 0` }] },
        {
          title: "Slowest response times",
          unit: "s",
          queries: [first("topk", state("sonde_monitor_response_seconds", { where: 'phase="total"' }))],
        },
        {
          title: "Average of each phase",
          unit: "s",
          stacked: true,
          queries: [
            {
              expr: `avg by (phase) (${matching("sonde_monitor_response_seconds", 'phase!="total"')})`,
              legend: "{{phase}}",
            },
          ],
        },
        {
          title: "Lowest uptime of 30 days",
          unit: "percentunit",
          queries: [first("bottomk", state("sonde_monitor_uptime_ratio", { where: 'window="30d"' }))],
        },
        {
          title: "Certificates that expire first",
          unit: "s",
          about: "Time left.",
          queries: [
            first("bottomk", {
              ...state("sonde_monitor_certificate_expiry_timestamp_seconds"),
              expr: `(${matching("sonde_monitor_certificate_expiry_timestamp_seconds")} - time())`,
            }),
          ],
        },
        {
          title: "Share that is up, by tag",
          unit: "percentunit",
          queries: [
            {
              expr: `avg by (tag) (${matching("sonde_monitor_up")} * on (job, instance, id) group_right () ${matching("sonde_monitor_tag")})`,
              legend: "{{tag}}",
            },
          ],
        },
      ],
    },
    {
      title: "Agents",
      panels: [
        { title: "CPU", unit: "percentunit", queries: [first("topk", state("sonde_agent_cpu_usage_ratio"))] },
        { title: "Memory", unit: "percentunit", queries: [first("topk", state("sonde_agent_memory_usage_ratio"))] },
        {
          title: "Disks",
          unit: "percentunit",
          queries: [first("topk", state("sonde_agent_disk_usage_ratio", { also: "mount_point" }))],
        },
        { title: "Load", queries: [first("topk", state("sonde_agent_load1"))] },
        {
          title: "Time since the last report",
          unit: "s",
          queries: [
            first("topk", {
              ...state("sonde_agent_last_report_timestamp_seconds"),
              expr: `(time() - ${matching("sonde_agent_last_report_timestamp_seconds")})`,
            }),
          ],
        },
      ],
    },
  ],
};
