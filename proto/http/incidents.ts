import { z } from "zod";
import { instant, listQuery, success } from "./envelope.ts";

export const incidentKinds = ["down", "offline", "threshold"] as const;
export type IncidentKind = (typeof incidentKinds)[number];
export const incidentResolutions = ["recovered", "paused", "deleted", "edited"] as const;
export type IncidentResolution = (typeof incidentResolutions)[number];

/** Who opens incidents: each answers IncidentsService under this name (proto/sonde/incidents). */
export const incidentProducers = ["monitors", "agents"] as const;
export type IncidentProducer = (typeof incidentProducers)[number];

export const incident = z.object({
  /** `m…` of a monitor, `a…` of an agent. */
  id: z.string(),
  target: z.object({ type: z.enum(["monitor", "agent"]), id: z.int(), name: z.string() }),
  kind: z.enum(incidentKinds),
  metric: z.string().optional(),
  cause: z.string(),
  /** How often the target went down again while this was open, where it flaps. */
  flaps: z.int().optional(),
  openedAt: instant,
  closedAt: instant.optional(),
  resolution: z.enum(incidentResolutions).optional(),
});
export type Incident = z.infer<typeof incident>;

const { page, pageSize, search, sort } = listQuery(["openedAt", "closedAt"]);
export const incidentsQuery = z.strictObject({
  page,
  pageSize,
  search,
  sort,
  open: z.enum(["true", "false"]).optional(),
  kind: z.enum(incidentKinds).optional(),
  /** `monitor:12` or `agent:3`. */
  target: z
    .string()
    .regex(/^(monitor|agent):\d{1,10}$/)
    .optional(),
});
export const monitorIncidentsQuery = z.strictObject({ page, pageSize });
/** `unavailable`: whose incidents are missing, and not counted in `total`, since their service is away. */
export const incidentsAnswer = success({
  incidents: z.array(incident),
  total: z.int(),
  unavailable: z.array(z.enum(incidentProducers)).optional(),
});
