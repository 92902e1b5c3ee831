import * as z from "zod";
import { type MessageField, type MessageFields, sampleFields, type SampleValues } from "../../samples/fields.ts";
import { id, instant, listQuery, success } from "../envelope.ts";
import { dependsOn } from "../monitors/targets.ts";
import { recentChecksQuery } from "../monitors/recent-checks.ts";
import { tags } from "../tags.ts";
import { nameOf } from "../text.ts";

export const agentStatuses = ["online", "connecting", "offline"] as const;
export type AgentStatus = (typeof agentStatuses)[number];

const thresholdScopes = ["agent", "global"] as const;

/** Figures of the newest sample that lists can be sorted by; agents without one come last in both directions. */
export const agentFigureSorts = ["cpu", "memory", "disk", "network", "load"] as const;

const percent = z.number().min(0).max(100);
/** PostgreSQL cannot store NUL. */
const plainText = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes("\0"), "This value is not valid");

export function shapesOf(fields: MessageFields): Record<string, z.ZodType> {
  const entries = Object.entries(fields).map(([name, field]): [string, z.ZodType] => {
    const shape = shapeOf(field);
    if (field.presence === "required") return [name, shape];
    return [name, field.presence === "nullable" ? shape.nullish() : shape.optional()];
  });
  return Object.fromEntries(entries);
}

function shapeOf(field: MessageField): z.ZodType {
  switch (field.kind) {
    case "double":
      // `z.int` already limits to the largest safe integer.
      return field.whole ? z.int().min(field.min) : z.number().min(field.min).max(field.max);
    case "uint32":
      return z.int().min(0).max(4_294_967_295);
    case "text":
      return field.oneOf === undefined ? plainText(field.maxLength) : z.enum(field.oneOf);
    case "instant":
      return z.iso.datetime({ offset: true });
    case "message":
      return z.object(shapesOf(field.fields));
    case "list":
      return z.array(z.object(shapesOf(field.fields))).max(field.maxEntries);
  }
}

export type Sample = Omit<SampleValues, "at"> & { at: string };

/**
 * One sample of an agent: the state of its host at one instant. Sizes in bytes, rates in bytes per second, usage in
 * percent, uptime in seconds. Unknown fields are ignored so that older servers accept newer agents.
 */
export const sample = z.object(shapesOf(sampleFields)) as unknown as z.ZodType<Sample>;

/** Percent; `null` for off. `scope`: the agent's own notification settings, or those for all agents. */
const thresholdsInForce = z.object({
  cpu: percent.nullable(),
  memory: percent.nullable(),
  disk: percent.nullable(),
  scope: z.enum(thresholdScopes),
});
export type ThresholdsInForce = z.infer<typeof thresholdsInForce>;

export const agent = z.object({
  id,
  name: z.string(),
  hostname: z.string(),
  ipAddresses: z.array(z.string()),
  os: z.string(),
  version: z.string(),
  status: z.enum(agentStatuses),
  lastSeen: instant.nullable(),
  /** Host uptime in seconds. */
  uptime: z.number().nullable(),
  /** Seconds. */
  interval: z.number(),
  /** Seconds the agent's clock is ahead of the server's; samples are corrected by it. */
  skew: z.number().optional(),
  dependsOn,
  tags: z.array(z.string()).default([]),
  /** True during a maintenance window: no alerts are sent. */
  inMaintenance: z.literal(true).optional(),
  /** A silence defers its messages until then, without any other effect. */
  silencedUntil: instant.optional(),
  createdAt: instant,
  updatedAt: instant,
  /** When its current key was registered. Only in single responses. */
  registeredAt: instant.optional(),
  /** True if two machines report with this key: samples alternate between two boots. Only in single responses. */
  duplicateKey: z.boolean().optional(),
  /** True if it exceeds the limit of open or new threshold incidents; the rest wait. Only in single responses. */
  incidentsHeldBack: z.boolean().optional(),
  latest: sample.optional(),
  /** Thresholds that apply to it. */
  thresholds: thresholdsInForce.optional(),
});
export type Agent = z.infer<typeof agent>;

export const agentName = nameOf(100);
/** Absent fields stay unchanged. */
export const updateAgentInput = z
  .strictObject({ name: agentName.optional(), tags: tags.optional(), dependsOn: dependsOn.optional() })
  .refine((input) => Object.values(input).some((value) => value !== undefined), {
    message: "Name is required",
    path: ["name"],
  })
  .meta({ minProperties: 1 });

export const createTokenInput = z.strictObject({
  name: agentName.optional(),
  expiresInHours: z
    .number()
    .positive()
    .max(24 * 30)
    .default(24),
  /** Registers this agent again and revokes its old key. */
  agentId: id.optional(),
});

export const agentsQuery = z.strictObject({
  ...listQuery(["name", "createdAt", "status", "hostname", "lastSeen", ...agentFigureSorts]),
  status: z.enum(agentStatuses).optional(),
  tag: z.string().max(40).optional(),
  ids: recentChecksQuery.shape.ids.optional().meta({ description: "Only agents with these ids." }),
});
export type AgentsQuery = z.infer<typeof agentsQuery>;
export const agentAnswer = success({ agent });
export const agentsAnswer = success({ agents: z.array(agent), total: z.int() });
/** Tags with the number of their agents, most used first. */
export const agentTagsAnswer = success({
  tags: z.array(z.object({ name: z.string(), agents: z.int() })),
  /** True if there are more. */
  more: z.boolean(),
});

/**
 * Every text in `install` contains the token, which is only returned here; so does `oneLine.command`, which runs the
 * gateway's `/install.sh` on Linux.
 */
export const tokenAnswer = success({
  token: z.string(),
  expiresAt: instant,
  oneLine: z.object({ command: z.string(), scriptSha256: z.string() }),
  install: z.object({ linux: z.string(), macos: z.string(), windows: z.string(), systemd: z.string() }),
});

/** An unused registration token. Its text is only returned when it is created. */
export const openToken = z.object({
  id,
  name: z.string().optional(),
  /** Agent that it registers again. */
  agent: z.object({ id, name: z.string() }).optional(),
  /** Name of its creator. Deleting the creator revokes the token. */
  createdBy: z.string().optional(),
  createdAt: instant,
  expiresAt: instant,
});
export type OpenToken = z.infer<typeof openToken>;
export const tokensAnswer = success({ tokens: z.array(openToken), total: z.int() });

export const metricsRanges = ["1h", "24h", "7d", "30d"] as const;
export type MetricsRange = (typeof metricsRanges)[number];
export const agentMetricsQuery = z.strictObject({ range: z.enum(metricsRanges).default("1h") });

const point = z.object({ start: instant, avg: z.number().nullable(), max: z.number().nullable() });
export type MetricPoint = z.infer<typeof point>;
const series = z.array(point);

/** `step` in seconds: 60 for 1h, 300 for 24h, and 3600 for 7 and 30 days. */
export const agentMetricsAnswer = success({
  range: z.enum(metricsRanges),
  step: z.int(),
  cpu: series,
  memory: series,
  load: z.object({ one: series, five: series, fifteen: series }),
  disks: z.record(z.string(), series),
  /** Used inodes in percent, for file systems that have inodes. */
  inodes: z.record(z.string(), series),
  network: z.record(z.string(), z.object({ receiveRate: series, sendRate: series })),
});

/** Facts an agent reports about itself and its host. */
export const hostFacts = z.object({
  hostname: plainText(255).min(1),
  ipAddresses: z.array(plainText(100)).max(50),
  os: plainText(200),
  version: plainText(50),
});
export type HostFacts = z.infer<typeof hostFacts>;

/** `POST /agent/v1/register`. Unknown fields are ignored. */
export const registerAgentInput = z.object({
  token: plainText(200).min(1),
  name: agentName.optional(),
  ...hostFacts.shape,
  /** Seconds. */
  interval: z.number().min(1).max(3600),
});
export const registerAgentAnswer = success({
  agentId: id,
  key: z.string(),
  limits: z.object({
    minIntervalSeconds: z.number(),
    maxBatchSamples: z.int(),
    /** Maximum size of a report, both compressed and decompressed. */
    maxBodyBytes: z.int(),
    maxSampleBytes: z.int(),
    reportsPerMinute: z.int(),
    /** A report counts once per started unit of decompressed bytes and of samples. */
    reportUnitBytes: z.int(),
    reportUnitSamples: z.int(),
    maxOpenIncidents: z.int(),
    incidentsPerMinute: z.int(),
  }),
});

/**
 * `POST /agent/v1/report` as JSON. Each sample and `host` (HostFacts) are validated separately. `sentAt`: the agent's
 * clock now; `interval`: seconds.
 */
export const reportInput = z.object({
  samples: z.array(z.unknown()).min(1),
  sentAt: z.iso.datetime({ offset: true }).optional(),
  interval: z.number().min(1).max(3600).optional(),
  host: z.unknown().optional(),
});

/**
 * `POST /agent/v1/report`: `rejected` lists the samples and parts of `host` that were not stored. `interval`: interval
 * requested by the server, in seconds. `resendHost`: `host` could not be stored and must be sent again.
 */
export const reportAnswer = success({
  accepted: z.int(),
  rejected: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  serverTime: instant,
  interval: z.number().optional(),
  resendHost: z.boolean().optional(),
});
