import { type GrafanaDashboard, quantiles, rate, value } from "../dashboard.ts";

export const checks: GrafanaDashboard = {
  uid: "sonde-checks",
  title: "Sonde: checks",
  about: "Whether the checks of all locations are carried out, on time, and with a result.",
  rows: [
    {
      title: "Carried out",
      panels: [
        { title: "Checks by location", unit: "ops", queries: [rate("sonde_probe_checks_total", "location")] },
        {
          title: "Carried out of those that are due",
          about:
            "By the intervals of each location's monitors. Re-checks of what fails count too, so it may be above 100 %.",
          unit: "percentunit",
          queries: [
            {
              expr:
                'sum by (location) (rate(sonde_probe_checks_total{namespace=~"$namespace"}[$__rate_interval]))' +
                ' / max by (location) (sonde_probe_due_checks_per_second{namespace=~"$namespace"} > 0)',
              legend: "{{location}}",
            },
          ],
        },
        {
          title: "Checks by kind and status",
          unit: "ops",
          queries: [rate("sonde_probe_checks_total", "kind, status")],
        },
        { title: "Monitors", queries: [value("sonde_probe_monitors", { by: "location", fold: "max" })] },
        {
          title: "Locations without a runner",
          about: "Nobody checks what monitors name there. Always 0.",
          stat: true,
          queries: [value("sonde_locations_unserved", { fold: "max" })],
        },
        { title: "Changes of monitors' state", unit: "ops", queries: [rate("sonde_monitor_transitions_total", "to")] },
      ],
    },
    {
      title: "On time",
      panels: [
        {
          title: "Lateness",
          about: "How long after its slot a check began.",
          unit: "s",
          queries: quantiles("sonde_probe_lateness_seconds", [0.5, 0.99], "location"),
        },
        {
          title: "Under way and waiting",
          about: "What waits is due, but too many others are under way.",
          queries: [
            { ...value("sonde_probe_in_flight", { by: "location" }), legend: "under way {{location}}" },
            { ...value("sonde_probe_waiting", { by: "location" }), legend: "waiting {{location}}" },
          ],
        },
        {
          title: "Skipped slots",
          about: "The runner was behind: they are no data. Always 0.",
          unit: "ops",
          queries: [rate("sonde_probe_skipped_slots_total", "location")],
        },
      ],
    },
    {
      title: "With a result",
      panels: [
        {
          title: "The runner's own trouble, by reason",
          about: "Checks without a result, since the runner's network or machine was at fault.",
          unit: "ops",
          queries: [rate("sonde_probe_own_trouble_total", "location, reason")],
        },
        {
          title: "Results that wait for NATS",
          unit: "bytes",
          queries: [value("sonde_probe_buffer_bytes", { by: "location" })],
        },
        {
          title: "Results that were lost",
          about: "Always 0.",
          unit: "ops",
          queries: [rate("sonde_probe_dropped_results_total", "location")],
        },
        {
          title: "Results that changed something",
          unit: "ops",
          queries: [rate("sonde_results_applied_total", "instance")],
        },
        {
          title: "Results that changed nothing, by reason",
          unit: "ops",
          queries: [rate("sonde_results_ignored_total", "reason")],
        },
        {
          title: "Threads that were ended with a job in hand",
          about: "Regular expressions that took too long.",
          unit: "ops",
          queries: [rate("sonde_offload_replaced_total", "name, reason")],
        },
      ],
    },
  ],
};
