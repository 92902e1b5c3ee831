import * as z from "zod";
import { maxConfigObjects } from "../http/config/apply.ts";
import { managedKinds } from "../http/config/managed.ts";

/**
 * The part of a document that a service owns. Its lines are JSON texts of `ConfigLine`, one a line, by Brotli: a message
 * of the bus holds a MiB. Without a generation it is a plan, which keeps nothing.
 */
export const applyPart = z.object({
  /** Null: what is made is owned by no source, and what is there already is used as it is. */
  source: z.string().nullable(),
  generation: z.int().nullable(),
  lines: z.base64(),
  /** Ids of what the part refers to and another service owns, or that were reserved for it; negative: to come. */
  ids: z.object({
    monitors: z.record(z.string(), z.int()).default({}),
    agents: z.record(z.string(), z.int()).default({}),
    channels: z.record(z.string(), z.int()).default({}),
    templates: z.record(z.string(), z.int()).default({}),
  }),
});
export type ApplyPart = z.output<typeof applyPart>;

const kind = z.enum(managedKinds);
export const configLine = z.object({
  kind,
  key: z.string(),
  place: z.string().optional(),
  adopt: z.boolean().default(false),
  fields: z.record(z.string(), z.unknown()),
});
export type ConfigLine = z.output<typeof configLine>;

const params = z.record(z.string(), z.union([z.string(), z.number()])).optional();
/** What becomes of an entry. Messages are keys of proto/http/messages.ts. */
const outcome = z.object({
  kind,
  key: z.string(),
  outcome: z.enum(["create", "update", "same", "remove", "conflict", "fault"]),
  /** Of one that is there. */
  id: z.int().optional(),
  changes: z.array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() })).optional(),
  place: z.string().optional(),
  with: z.object({ source: z.string(), place: z.string().optional() }).optional(),
  faults: z.array(z.object({ path: z.string(), message: z.string(), params })).optional(),
  /** Of faults: it is understood, but impossible. */
  isImpossible: z.boolean().optional(),
});
export type ConfigOutcome = z.output<typeof outcome>;

export const appliedPart = z.object({
  /** JSON texts of `ConfigOutcome`, as the lines of the part. */
  lines: z.base64(),
  /** How many rows it writes, those of ownership among them. */
  writes: z.int(),
});

/** How many objects of each kind each source owns, and which of its last document people took over since. */
export const ownedCounts = z.object({
  owned: z.array(z.object({ source: z.string(), kind, count: z.int() })),
  released: z.array(z.object({ source: z.string(), kind, key: z.string() })),
});

/** Ids of what documents refer to and do not hold: keys of other sources, or `name:Ops team`. */
export const idsOfRefs = {
  input: z.object({ kind, refs: z.array(z.string()).max(maxConfigObjects) }),
  answer: z.object({ ids: z.record(z.string(), z.int()) }),
};

/** All of a source, or one object of it. What it owned is of people from then on. */
export const releasePart = z.object({ source: z.string(), kind: kind.optional(), key: z.string().optional() });
