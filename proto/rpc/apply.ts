import * as z from "zod";
import { maxConfigObjects } from "../http/config/apply.ts";
import { managedKinds } from "../http/config/managed.ts";

/**
 * A service's part of a document. `lines` are JSON `ConfigLine`s separated by newlines and compressed with Brotli,
 * because a bus message holds 1 MiB. Without a generation it is a plan, which writes nothing.
 */
export const applyPart = z.object({
  /** `null` for imports: new objects have no source, and existing ones are used unchanged. */
  source: z.string().nullable(),
  generation: z.int().nullable(),
  lines: z.base64(),
  /**
   * Ids of referenced objects that other services own or reserved for this part; negative for objects still to be
   * created.
   */
  ids: z.object({
    monitors: z.record(z.string(), z.int()).default({}),
    agents: z.record(z.string(), z.int()).default({}),
    channels: z.record(z.string(), z.int()).default({}),
    templates: z.record(z.string(), z.int()).default({}),
    schedules: z.record(z.string(), z.int()).default({}),
    policies: z.record(z.string(), z.int()).default({}),
    /** By name or address, as in the document. */
    users: z.record(z.string(), z.int()).default({}),
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
/** Outcome of an entry. Messages are keys of proto/http/messages.ts. */
const outcome = z.object({
  kind,
  key: z.string(),
  outcome: z.enum(["create", "update", "same", "remove", "conflict", "fault"]),
  /** Set for existing objects. */
  id: z.int().optional(),
  changes: z.array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() })).optional(),
  place: z.string().optional(),
  with: z.object({ source: z.string(), place: z.string().optional() }).optional(),
  faults: z.array(z.object({ path: z.string(), message: z.string(), params })).optional(),
  /** For errors: valid but impossible (422 instead of 400). */
  isImpossible: z.boolean().optional(),
});
export type ConfigOutcome = z.output<typeof outcome>;

export const appliedPart = z.object({
  /** JSON `ConfigOutcome`s, encoded like the part's lines. */
  lines: z.base64(),
  /** Number of rows to write, including ownership. */
  writes: z.int(),
});

/** Number of managed objects by source and kind, and the objects of the last document that were released since. */
export const ownedCounts = z.object({
  owned: z.array(z.object({ source: z.string(), kind, count: z.int() })),
  released: z.array(z.object({ source: z.string(), kind, key: z.string() })),
});

/** Ids of references outside the documents: keys of other sources, or `name:Ops team`. */
export const idsOfRefs = {
  input: z.object({ kind, refs: z.array(z.string()).max(maxConfigObjects) }),
  answer: z.object({ ids: z.record(z.string(), z.int()) }),
};

/** Releases a whole source or one object; users can edit it afterwards. */
export const releasePart = z.object({ source: z.string(), kind: kind.optional(), key: z.string().optional() });
