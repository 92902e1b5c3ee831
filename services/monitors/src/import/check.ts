import type { MessageInitShape } from "@bufbuild/protobuf";
import { type AppError, toAppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { CheckImportRequest, ImportVerdictSchema } from "@sonde/proto/gen/monitors/v1/monitors";
import { targetOf } from "@sonde/proto/http/kinds";
import { setImmediate as otherWork } from "node:timers/promises";
import type { Context } from "../context.ts";
import { shownCheck } from "../monitors/stored-check.ts";
import { readDefinition } from "./definition.ts";
import { splitLines } from "./lines.ts";
import { findByName } from "./store.ts";

type Verdict = MessageInitShape<typeof ImportVerdictSchema>;
type Found = { name: string; target: string; lostLocations: string[] } | { refused: AppError };

/**
 * Whether the monitor of each line can come, and the one that is there already: it has the same name and the same target.
 * Keeps nothing.
 */
export async function checkImport(ctx: Context, { lines }: CheckImportRequest): Promise<{ verdicts: Verdict[] }> {
  await ctx.locations.settled();
  const found: Found[] = [];
  for (const line of splitLines(lines)) {
    found.push(await look(ctx, line));
    await otherWork();
  }
  const names = found.flatMap((one) => ("name" in one ? [one.name] : []));
  const known = await orUnavailable(() => findByName(ctx.db, names));
  const verdicts = found.map((one) => {
    if ("refused" in one) return refusal(one.refused);
    const there = known.find(({ name, target }) => name === one.name && target === one.target);
    return { existingId: there?.id ?? 0, lostLocations: one.lostLocations };
  });
  return { verdicts };
}

async function look(ctx: Context, line: Buffer): Promise<Found> {
  try {
    const { definition, lostLocations } = await readDefinition(ctx, line);
    return { name: definition.name, target: targetOf(shownCheck(definition.check)), lostLocations };
  } catch (thrown) {
    const refused = toAppError(thrown);
    if (refused.code === "internal" || refused.code === "unavailable") throw thrown;
    return { refused };
  }
}

/** The first thing that is wrong, in words for people. */
function refusal({ key, params, details }: AppError): Verdict {
  const [first] = details;
  return { message: first?.message ?? key, params: JSON.stringify(first?.params ?? params) };
}
