import { type GrafanaDashboard, quantiles, rate, value } from "../dashboard.ts";

export const pipeline: GrafanaDashboard = {
  uid: "sonde-pipeline",
  title: "Sonde: pipeline",
  about:
    "What lies between a check or a sample and its chart, its state and its alert: streams, ClickHouse, outboxes, deliveries.",
  rows: [
    {
      title: "Streams",
      panels: [
        {
          title: "Messages that a reader has yet to handle",
          about: "Of a reader with several replicas, the worst.",
          queries: [value("sonde_stream_lag_messages", { by: "stream, reader", fold: "max" })],
        },
        {
          title: "SAMPLES: share of its bound that nobody has read",
          about: "From 80 % on agents are told to wait.",
          unit: "percentunit",
          queries: [value("sonde_samples_unread_ratio", { fold: "max" })],
        },
        {
          title: "Dead letters",
          about: "Messages that a service could not read. Always 0.",
          queries: [value("sonde_dead_letters_total", { by: "service, stream" })],
        },
      ],
    },
    {
      title: "ClickHouse",
      panels: [
        { title: "Rows", unit: "ops", queries: [rate("sonde_metrics_rows_total", "stream")] },
        {
          title: "Time to store a block",
          unit: "s",
          queries: quantiles("sonde_metrics_block_seconds", [0.5, 0.99], "stream"),
        },
        { title: "Rows a block", queries: quantiles("sonde_metrics_block_rows", [0.5, 0.99], "stream") },
        {
          title: "Away",
          about: "1 while ClickHouse takes no rows; they wait in NATS.",
          queries: [value("sonde_metrics_clickhouse_away", { by: "stream", fold: "max" })],
        },
        {
          title: "Blocks that were refused",
          unit: "ops",
          queries: [rate("sonde_metrics_block_failures_total", "stream")],
        },
        {
          title: "Rows that are too old or of the future",
          unit: "ops",
          queries: [rate("sonde_metrics_refused_rows_total", "stream, reason")],
        },
      ],
    },
    {
      title: "Outboxes",
      panels: [
        { title: "Sent", unit: "ops", queries: [rate("sonde_outbox_sent_total", "schema")] },
        {
          title: "Waiting",
          about: "Up to 200 are counted.",
          queries: [value("sonde_outbox_unsent", { by: "schema", fold: "max" })],
        },
        {
          title: "Failing",
          about: "Always 0.",
          queries: [value("sonde_outbox_failing", { by: "schema", fold: "max" })],
        },
      ],
    },
    {
      title: "Alerts",
      panels: [
        { title: "Alerts", unit: "ops", queries: [rate("sonde_notifier_alerts_total", "kind")] },
        {
          title: "From an incident to the decision whom to notify",
          unit: "s",
          queries: quantiles("sonde_notifier_decided_seconds", [0.5, 0.99]),
        },
        { title: "Decisions", unit: "ops", queries: [rate("sonde_notifier_decisions_total", "outcome, reason")] },
        { title: "Deliveries", unit: "ops", queries: [rate("sonde_deliveries_total", "type, status")] },
        {
          title: "Requests to providers",
          unit: "ops",
          queries: [rate("sonde_delivery_attempts_total", "type, outcome")],
        },
        {
          title: "From an alert to the provider's word",
          unit: "s",
          queries: quantiles("sonde_delivery_seconds", [0.5, 0.99], "type"),
        },
        { title: "Waiting", queries: [value("sonde_delivery_messages_waiting", { fold: "max" })] },
        {
          title: "The oldest that waits",
          unit: "s",
          queries: [value("sonde_delivery_oldest_waiting_seconds", { fold: "max" })],
        },
        {
          title: "Mails of the status page",
          unit: "ops",
          queries: [rate("sonde_status_mails_total", "kind, outcome")],
        },
        {
          title: "Self-watch",
          about: "Calls of the address elsewhere.",
          unit: "ops",
          queries: [rate("sonde_self_watch_calls_total", "outcome")],
        },
        {
          title: "Why the self-watch holds its call back",
          about: "Nothing while all works.",
          queries: [value("sonde_self_watch_held_back", { by: "reason", fold: "max" })],
        },
      ],
    },
  ],
};
