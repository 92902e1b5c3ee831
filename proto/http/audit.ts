import * as z from "zod";
import type { CheckFieldName } from "./monitors/kinds.ts";
import type { SharedFields } from "./monitors/monitors.ts";
import { instant, listQuery, rowId, success } from "./envelope.ts";
import type { StatusConfig } from "./status/config.ts";

/** Audited actions of users and keys. */
export const auditActions = [
  "create",
  "update",
  "delete",
  "pause",
  "resume",
  "acknowledge",
  "unacknowledge",
  "snooze",
  "unsnooze",
  "escalate",
  "send",
  "end",
  "rotate",
  "password",
  "register",
  "login",
  "logout",
  "test",
  "import",
  "export",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Audited objects. `installation` is all of Sonde, for example for an import. */
export const auditTargets = [
  "monitor",
  "agent",
  "agent-token",
  "location",
  "incident",
  "change",
  "channel",
  "settings",
  "template",
  "page",
  "subscriber",
  "announcement",
  "maintenance",
  "silence",
  "schedule",
  "policy",
  "drill",
  "slo",
  "report",
  "user",
  "invite",
  "key",
  "session",
  "provider",
  "audit",
  "source",
  "installation",
] as const;
export type AuditTarget = (typeof auditTargets)[number];

/**
 * Fields of audited objects. Each has a label in both languages: its form label (for monitors in
 * web/src/entities/kinds), or an entry in `fields` of web/src/locales/<language>/audit.ts.
 */
export type AuditField =
  | CheckFieldName
  | keyof SharedFields
  | keyof StatusConfig
  | "name"
  | "type"
  | "minDaysLeft"
  | "host"
  | "password"
  | "interval"
  | "timeout"
  | "locations"
  | "tags"
  | "paused"
  | "dependsOn"
  | "note"
  | "confirm"
  | "enabled"
  | "config"
  | "channels"
  | "events"
  | "thresholds"
  | "rules"
  | "cooldownMinutes"
  | "quietHours"
  | "start"
  | "end"
  | "timeZone"
  | "rrule"
  | "text"
  | "impact"
  | "language"
  | "username"
  | "email"
  | "role"
  | "kind"
  | "status"
  | "scopes"
  | "expiresAt"
  | "state"
  | "updates"
  | "public"
  | "until"
  | "createdBy"
  | "owner"
  | "prefix"
  | "target"
  | "subject"
  | "content"
  | "acknowledgedAt"
  | "acknowledgedBy"
  | "snoozedUntil"
  | "snoozedBy"
  | "closedAt"
  | "resolution"
  | "postMortem"
  | "incidentId"
  | "templateId"
  | "policyId"
  | "repeat"
  | "schedule"
  | "lowUrgency"
  | "allowFrom"
  | "hostname"
  | "ipAddresses"
  | "os"
  | "agentId"
  | "factors"
  | "recoveryCodes"
  | "emailVerified"
  | "identities"
  | "provider"
  | "slug"
  | "issuer"
  | "clientId"
  | "clientSecret"
  | "tokenAuth"
  | "roleClaim"
  | "roles"
  | "otherwise"
  | "linkByMail"
  | "redirectUri"
  | "logoutUri"
  | "isReadOnly"
  | "by"
  | "cause"
  | "metric"
  | "flaps"
  | "openedAt"
  | "silencedUntil"
  | "objects"
  | "managed"
  | "pingUrl"
  | "inboundUrl"
  | "severity"
  | "link"
  | "labels"
  | "pingToken"
  | "pingKey"
  | "creates"
  | "pages"
  | "links"
  | "access"
  | "hosts"
  | "resolvedAt"
  | "layers"
  | "override"
  | "feed"
  | "targets"
  | "combine"
  | "objective"
  | "window"
  | "latency"
  | "burnAlerts"
  | "tag"
  | "pageId"
  | "every"
  | "period"
  | "recipients"
  | "channelId"
  | "at";
/** A field or a path within it: `config.token`. */
export type AuditPath = AuditField | `${AuditField}.${string}`;

const change = z.object({
  path: z.string().meta({ description: "Path of the field, with dots between levels.", examples: ["check.url"] }),
  from: z.unknown().optional().meta({ description: "Absent if there was no value before." }),
  to: z.unknown().optional().meta({ description: "Absent if there is no value now." }),
});
export type AuditChange = z.infer<typeof change>;

export const auditEntry = z.object({
  id: z.uuid(),
  at: instant,
  actor: z.object({
    id: rowId.optional().meta({ description: "Absent for someone who used an acknowledge link." }),
    username: z.string().meta({ description: "The username at that time." }),
    key: z
      .object({ id: rowId, name: z.string().optional().meta({ description: "Absent if the key was deleted." }) })
      .optional()
      .meta({ description: "API key that was used." }),
  }),
  address: z.string().optional(),
  action: z.enum(auditActions),
  target: z.object({ type: z.enum(auditTargets), id: z.string(), name: z.string() }),
  changes: z
    .array(change)
    .meta({ description: "Secrets are masked; a changed secret has the same mask before and after." }),
  isCut: z.boolean().meta({ description: "True if some changes were too long to store." }),
  requestId: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

const filters = {
  actor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "A username, or an API key such as `key:12`.", examples: ["key:12"] }),
  action: z.enum(auditActions).optional(),
  target: z
    .string()
    .max(120)
    .regex(
      new RegExp(`^(?:${auditTargets.join("|")})(?::[a-z0-9-]{1,60})?$`),
      "This must be a kind of target, such as monitor, or one of them, such as monitor:12",
    )
    .optional()
    .meta({ description: "A target such as `monitor:12`, or a kind such as `monitor`.", examples: ["monitor:12"] }),
  since: instant.optional(),
  until: instant.optional().meta({ description: "Exclusive end." }),
};
const { page } = listQuery(["at"]);
/** This many entries of maximum size fit into one bus message. */
export const maxAuditEntries = 50;
const pageSize = z.coerce.number().int().min(1).max(maxAuditEntries).default(maxAuditEntries);
export const auditQuery = z.strictObject({ page, pageSize, ...filters });
export const auditExportQuery = z.strictObject(filters);
export type AuditFilters = z.infer<typeof auditExportQuery>;
export const auditAnswer = success({ entries: z.array(auditEntry), total: z.int() });
