import * as z from "zod";
import { success } from "./envelope.ts";

/** Maximum number of objects in a file, and length of a list. */
const maxImported = 10_000;
/** Maximum body size; a database is therefore sent without its history. */
export const maxImportBytes = 8 * 1024 * 1024;

/** Tables and columns of an Uptime Kuma database that an import reads. */
export const kumaTables = {
  monitor: [
    "id",
    "name",
    "description",
    "active",
    "type",
    "parent",
    "interval",
    "maxretries",
    "retry_interval",
    "retry_only_on_status_code_failure",
    "timeout",
    "resend_interval",
    "upside_down",
    "url",
    "method",
    "headers",
    "body",
    "http_body_encoding",
    "auth_method",
    "basic_auth_user",
    "basic_auth_pass",
    "bearer_token",
    "oauth_client_id",
    "oauth_client_secret",
    "oauth_token_url",
    "oauth_scopes",
    "oauth_audience",
    "oauth_auth_method",
    "tls_ca",
    "tls_cert",
    "tls_key",
    "accepted_statuscodes_json",
    "maxredirects",
    "ignore_tls",
    "expiry_notification",
    "domain_expiry_notification",
    "cache_bust",
    "ip_family",
    "proxy_id",
    "keyword",
    "invert_keyword",
    "json_path",
    "json_path_operator",
    "expected_value",
    "hostname",
    "port",
    "ping_count",
    "smtp_security",
    "expected_tls_alert",
    "dns_resolve_type",
    "dns_resolve_server",
    "conditions",
    "push_token",
    "database_connection_string",
    "database_query",
    "radius_password",
    "grpc_url",
    "grpc_service_name",
    "grpc_method",
    "grpc_body",
    "grpc_enable_tls",
    "ws_subprotocol",
  ],
  proxy: ["id", "protocol", "host", "port", "auth", "username", "password", "active"],
  tag: ["id", "name"],
  monitor_tag: ["monitor_id", "tag_id", "value"],
  notification: ["id", "name", "active", "is_default", "config"],
  monitor_notification: ["monitor_id", "notification_id"],
  setting: ["key", "value"],
  maintenance: ["title"],
  status_page: ["title"],
} as const;

const row = z.record(z.string().max(100), z.union([z.string(), z.number(), z.null()]));
export type KumaRow = z.infer<typeof row>;
const rows = z.array(row).max(50_000);
const kumaRows = z
  .strictObject({
    monitor: rows.max(maxImported),
    proxy: rows.default([]),
    tag: rows.default([]),
    monitor_tag: rows.default([]),
    notification: rows.default([]),
    monitor_notification: rows.default([]),
    setting: rows.default([]),
    maintenance: rows.default([]),
    status_page: rows.default([]),
  })
  .meta({
    description:
      "Rows of kuma.db by table and column, as written by `sqlite3 -json kuma.db 'select * from monitor'`. Columns that Sonde does not need are ignored.",
  });
export type KumaRows = z.infer<typeof kumaRows>;

const entries = z.array(z.record(z.string(), z.unknown())).max(maxImported);
/**
 * The parts of an export that an import reads. Entries are validated one by one, so that each invalid one is reported.
 */
const exported = z
  .looseObject({
    version: z.int(),
    monitors: entries,
    channels: entries.default([]),
    templates: entries.default([]),
    schedules: entries.default([]),
    policies: entries.default([]),
    drills: entries.default([]),
    slos: entries.default([]),
    settings: z
      .looseObject({
        globalMonitor: z.record(z.string(), z.unknown()).optional(),
        globalAgent: z.record(z.string(), z.unknown()).optional(),
        monitors: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
      })
      .prefault({}),
  })
  .meta({ description: "The response of `GET /api/export`." });
export type Exported = z.infer<typeof exported>;

/** The parts of healthchecks.io's response that an import reads; entries are validated one by one. */
const healthchecks = z
  .looseObject({ checks: entries })
  .meta({ description: "The response of healthchecks.io's `GET /api/v3/checks/`, read with a read-write key." });
export type Healthchecks = z.infer<typeof healthchecks>;

export const importInput = z.discriminatedUnion("source", [
  z.strictObject({ source: z.literal("kuma"), tables: kumaRows }),
  z.strictObject({ source: z.literal("sonde"), export: exported }),
  z.strictObject({ source: z.literal("healthchecks"), answer: healthchecks }),
]);

export const importQuery = z.strictObject({
  dryRun: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "`true` returns what would and what cannot be imported, without importing anything." }),
});

export const importedTypes = [
  "monitor",
  "group",
  "channel",
  "template",
  "schedule",
  "policy",
  "drill",
  "slo",
  "settings",
  "statusPage",
  "maintenance",
  "announcement",
  "report",
  "agent",
  "user",
] as const;
export type ImportedType = (typeof importedTypes)[number];

const willEntry = z.object({
  type: z.enum(importedTypes),
  name: z.string(),
  detail: z.string().optional().meta({ description: "Target of a monitor, or type of a channel." }),
  paused: z.literal(true).optional(),
  tags: z.array(z.string()).optional(),
  notes: z.array(z.string()).meta({ description: "How it differs from the original." }),
});
export type WillEntry = z.infer<typeof willEntry>;
const cannotEntry = z.object({ type: z.enum(importedTypes), what: z.string(), why: z.string() });
export type CannotEntry = z.infer<typeof cannotEntry>;

export const importAnswer = success({
  dryRun: z.boolean(),
  will: z.array(willEntry),
  cannot: z.array(cannotEntry),
});
export type ImportPlan = Omit<z.infer<typeof importAnswer>, "success" | "message">;
