import * as z from "zod";
import { id, listQuery, pathId, success } from "../envelope.ts";
import { monitorCounts } from "../dashboard.ts";
import { checkTypes } from "./kinds.ts";
import { recentChecksQuery } from "./recent-checks.ts";
import { tag } from "../tags.ts";
import { interval, location, monitorFilters, slowerBy, timeout } from "./monitors.ts";

/** Maximum number of monitors that can be sorted by values outside the database. */
export const maxSorted = 20_000;

const listed = listQuery([
  "name",
  "target",
  "createdAt",
  "status",
  "statusSince",
  "url",
  "uptime",
  "responseTime",
  "p95",
  "p95Change",
]);
export const monitorFilter = {
  search: listed.search,
  status: z.enum(monitorFilters).optional().meta({
    description:
      "`stale`: monitors that missed three slots; they are in no other state. `slow`: monitors that are up but slow. `active`: all except paused monitors. `expiring`: active monitors whose certificate or domain has expired or expires within 14 days.",
  }),
  tag: z.string().max(40).optional(),
  untagged: z.literal("true").optional().meta({ description: "Only monitors without tags." }),
  type: z.enum(checkTypes).optional().meta({ description: "Only monitors of this kind." }),
  group: pathId.optional().meta({ description: "Only members of this group." }),
  slower: z
    .literal("true")
    .optional()
    .meta({
      description: `Only monitors that became slower: they are up, and their p95 is at least ${slowerBy.percent} % and ${slowerBy.ms} ms above the usual one.`,
    }),
};

/** `url` is the former name of `target`. */
export const monitorsQuery = z.strictObject({
  ...listed,
  ...monitorFilter,
  ids: recentChecksQuery.shape.ids.optional(),
  sort: listed.sort.meta({
    description: `Sorted by \`uptime\` (24 hours), \`responseTime\`, \`p95\` or \`p95Change\`, monitors without a value are last in both directions; more than ${maxSorted} matches are then rejected with 422.`,
  }),
  compact: z.enum(["true", "false"]).optional().meta({
    description:
      "`true` omits `body`, `send` and `expect` and empties `headers` and `assertions`, which keeps pages small.",
  }),
});

export const bulkActions = ["pause", "resume", "delete", "edit"] as const;
/** Changes of a bulk edit; absent fields stay unchanged. */
export const bulkChanges = z.strictObject({
  addTags: z.array(tag).max(20).optional(),
  removeTags: z.array(tag).max(20).optional(),
  interval: interval.optional(),
  timeout: timeout.optional(),
  locations: z.array(location).min(1).max(20).optional(),
});
export type BulkChanges = z.output<typeof bulkChanges>;
/** Edits that undo an edit, one for each group of monitors that had the same values. */
export const bulkUndo = z.object({ ids: z.array(id), changes: bulkChanges });
export type BulkUndo = z.output<typeof bulkUndo>;
/** Maximum number of monitors for one change by filter. */
export const maxMatched = 10_000;
export const bulkInput = z
  .strictObject({
    ids: z.array(id).min(1).max(1000, "At most {max} monitors are allowed at once").optional(),
    filter: z
      .strictObject(monitorFilter)
      .optional()
      .meta({
        description: `All monitors that match, as in the list, at most ${maxMatched}. An empty filter matches all monitors. Send either this or \`ids\`.`,
      }),
    action: z.enum(bulkActions),
    changes: bulkChanges.optional().meta({ description: "For `edit`: the changes to each monitor." }),
    atMost: z.int().min(1).optional().meta({
      description: "Number of matches the user confirmed. If more match now, nothing changes and the response is 409.",
    }),
    preview: z.literal(true).optional().meta({
      description:
        "Changes nothing; `openIncidents` in the response is the number of incidents that pausing or deleting would close.",
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
  failed: z.array(
    z.object({
      id,
      name: z.string().optional().meta({ description: "Absent if the monitor does not exist." }),
      message: z.string(),
    }),
  ),
  unchanged: z.array(id).optional().meta({ description: "Monitors in `done` that needed no change." }),
  openIncidents: z.int().optional().meta({ description: "Only for previews." }),
  undo: z.array(bulkUndo).optional().meta({ description: "For `edit`: the edits that undo it." }),
});

/** Counts by state, regardless of a state filter. */
export const monitorCountsQuery = z.strictObject({
  search: monitorFilter.search,
  tag: monitorFilter.tag,
  untagged: monitorFilter.untagged,
  type: monitorFilter.type,
  group: monitorFilter.group,
  slower: monitorFilter.slower,
});
export const matchingCounts = monitorCounts.extend({
  groups: z.int().optional().meta({ description: "Those of `total` that are groups." }),
});
export const monitorCountsAnswer = success({ counts: matchingCounts });

/** Maximum number of tags in a response. */
export const maxTags = 50;
/** Tags with the number of their monitors, most used first. */
export const tagsQuery = z.strictObject({
  search: z.string().max(40).optional().meta({ description: "Only tags that contain this text." }),
});
export const tagsAnswer = success({
  tags: z.array(z.object({ name: z.string(), monitors: z.int(), down: z.int().default(0) })),
  /** True if there are more. */
  more: z.boolean(),
});
