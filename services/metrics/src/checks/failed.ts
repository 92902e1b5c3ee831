import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { Context } from "../context.ts";
import { type ListChecksInput, pageOf, pageRange } from "./list.ts";
import { toResult } from "./row.ts";
import { selectChecksOf, selectFailedSlots } from "./store.ts";

/** Most slots that are looked at in one statement. */
const mostSlots = 1_000;

/**
 * Failed results of a monitor, as `listChecks` lists all of them. `failed_checks` is the index, so that a page reads
 * only what it returns, however many good checks are between.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 */
export async function listFailedChecks(ctx: Context, input: ListChecksInput): Promise<CheckResult[]> {
  const { monitorId, endMs, oldestMs, wanted } = pageRange(ctx, input);
  const found: CheckResult[] = [];
  let beforeMs = endMs;
  // A slot where a later run was good is left out; each further turn looks at more of them.
  for (let limit = wanted; ; limit = Math.min(mostSlots, limit * 4)) {
    const range = { monitorId, fromMs: oldestMs, beforeMs, limit };
    const slots = await ctx.read((client) => selectFailedSlots(client, range));
    const last = slots.at(-1);
    if (last === undefined) return pageOf(found, wanted);
    const rows = await ctx.read((client) => selectChecksOf(client, { monitorId, slots: [...new Set(slots)] }));
    found.push(...rows.filter(({ up }) => !up).map(toResult));
    if (found.length >= wanted || slots.length < limit) return pageOf(found, wanted);
    beforeMs = last;
  }
}
