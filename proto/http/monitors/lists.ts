import * as z from "zod";
import { id, listQuery, success } from "../envelope.ts";
import { monitorCounts } from "../dashboard.ts";
import { recentChecksQuery } from "./recent-checks.ts";
import { tag } from "../tags.ts";
import { interval, location, monitorFilters, timeout } from "./monitors.ts";

/** How many monitors an order that the database does not know may be made of. */
export const maxSorted = 20_000;

const listed = listQuery(["name", "target", "createdAt", "status", "statusSince", "url", "uptime", "responseTime"]);
/** What a list is narrowed by. */
export const monitorFilter = {
  search: listed.search,
  status: z.enum(monitorFilters).optional().meta({
    description:
      "`stale` lists those that missed three slots; they are listed under no other state. `active` lists all but paused ones, `expiring` those of them whose certificate or domain ends within 14 days or has ended.",
  }),
  tag: z.string().max(40).optional(),
  untagged: z.literal("true").optional().meta({ description: "Only those without a tag." }),
};

/** `url` is what `target` was called before there were kinds. */
export const monitorsQuery = z.strictObject({
  ...listed,
  ...monitorFilter,
  ids: recentChecksQuery.shape.ids.optional(),
  sort: listed.sort.meta({
    description: `By \`uptime\` (of 24 hours) and \`responseTime\` monitors without one come last in both directions; at most ${maxSorted} may match then, else 422.`,
  }),
  compact: z.enum(["true", "false"]).optional().meta({
    description:
      "`true` leaves out `body`, `send` and `expect`, and leaves `headers` and `assertions` empty: a page that is always small.",
  }),
});

export const bulkActions = ["pause", "resume", "delete", "edit"] as const;
/** What an edit changes of each monitor; what is left out stays. */
export const bulkChanges = z.strictObject({
  addTags: z.array(tag).max(20).optional(),
  removeTags: z.array(tag).max(20).optional(),
  interval: interval.optional(),
  timeout: timeout.optional(),
  locations: z.array(location).min(1).max(20).optional(),
});
export type BulkChanges = z.output<typeof bulkChanges>;
/** Edits that take an edit back, one for all monitors that were alike before. */
export const bulkUndo = z.object({ ids: z.array(id), changes: bulkChanges });
export type BulkUndo = z.output<typeof bulkUndo>;
/** How many monitors may match the filter of one change. */
export const maxMatched = 10_000;
export const bulkInput = z
  .strictObject({
    ids: z.array(id).min(1).max(1000, "At most {max} monitors are allowed at once").optional(),
    filter: z
      .strictObject(monitorFilter)
      .optional()
      .meta({
        description: `All that match, as in the list, ${maxMatched} at most; without a field: all monitors. Give either this or \`ids\`.`,
      }),
    action: z.enum(bulkActions),
    changes: bulkChanges.optional().meta({ description: "Of `edit`: what becomes of each." }),
    atMost: z.int().min(1).optional().meta({
      description:
        "How many a person was told of: where more match the filter by now, nothing is changed, and the answer is 409.",
    }),
    preview: z.literal(true).optional().meta({
      description:
        "Changes nothing: answers in `openIncidents` how many incidents the pause or the deletion would end.",
    }),
  })
  .refine(({ ids, filter: given }) => (ids === undefined) !== (given === undefined), {
    path: ["ids"],
    message: "Provide either ids or a filter",
  })
  .refine(({ action, changes }) => changes === undefined || action === "edit", {
    path: ["changes"],
    message: "This value is not valid",
  });

export const bulkAnswer = success({
  done: z.array(id),
  failed: z.array(z.object({ id, message: z.string() })),
  unchanged: z.array(id).optional().meta({ description: "Those of `done` that were so already." }),
  openIncidents: z.int().optional().meta({ description: "Of a preview." }),
  undo: z.array(bulkUndo).optional().meta({ description: "Of `edit`: the edits that take it back." }),
});

/** How many there are in each state, whatever state a list is narrowed to. */
export const monitorCountsQuery = z.strictObject({
  search: monitorFilter.search,
  tag: monitorFilter.tag,
  untagged: monitorFilter.untagged,
});
export const monitorCountsAnswer = success({ counts: monitorCounts });

/** How many tags one answer holds. */
export const maxTags = 50;
/** Tags with the number of their monitors, those of most first. */
export const tagsQuery = z.strictObject({
  search: z.string().max(40).optional().meta({ description: "Only tags that hold this text." }),
});
export const tagsAnswer = success({
  tags: z.array(z.object({ name: z.string(), monitors: z.int(), down: z.int().default(0) })),
  /** There are more. */
  more: z.boolean(),
});
