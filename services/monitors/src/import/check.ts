import { type AppError, invalid, toAppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import { targetOf } from "@sonde/proto/http/monitors/kinds";
import { monitorInput } from "@sonde/proto/http/monitors/monitors";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import { setImmediate as otherWork } from "node:timers/promises";
import type { z } from "zod";
import type { Context } from "../context.ts";
import type { Definition } from "../monitors/monitor.ts";
import { applyInput, patchOf, patternFaults } from "../monitors/rules.ts";
import { shownCheck } from "../monitors/stored-check.ts";
import { findByName } from "./store.ts";

type CheckImport = (typeof monitorsContract)["methods"]["checkImport"];
type Verdict = z.input<CheckImport["answer"]>["verdicts"][number];
type Checked = { name: string; target: string; lostLocations: string[] } | { refused: AppError };

/**
 * Whether each of these monitors can come, and the one that is there already: it has the same name and the same target.
 * Keeps nothing.
 */
export async function checkImport(
  ctx: Context,
  { monitors }: z.output<CheckImport["input"]>,
): Promise<{ verdicts: Verdict[] }> {
  await ctx.locations.settled();
  const found: Checked[] = [];
  for (const monitor of monitors) {
    found.push(await checkOne(ctx, monitor));
    await otherWork();
  }
  const names = found.flatMap((one) => ("name" in one ? [one.name] : []));
  const known = await orUnavailable(() => findByName(ctx.db, names));
  const verdicts = found.map((one): Verdict => {
    if ("refused" in one) return { fault: firstFaultOf(one.refused) };
    const there = known.find(({ name, target }) => name === one.name && target === one.target);
    return { existingId: there?.id, lostLocations: one.lostLocations };
  });
  return { verdicts };
}

async function checkOne(ctx: Context, monitor: unknown): Promise<Checked> {
  try {
    const { definition, lostLocations } = await readDefinition(ctx, monitor);
    return { name: definition.name, target: targetOf(shownCheck(definition.config)), lostLocations };
  } catch (thrown) {
    const refused = toAppError(thrown);
    if (refused.code === "internal" || refused.code === "unavailable") throw thrown;
    return { refused };
  }
}

/** The first fault, in words for people. */
function firstFaultOf({ key, params, details: [first] }: AppError): Verdict["fault"] {
  return { message: first?.message ?? key, params: first?.params ?? params };
}

/**
 * The monitor that an entry of an import describes, held against all rules. Locations without a runner are left out, for
 * they are those of another installation.
 * @throws AppError as createMonitor does
 */
export async function readDefinition(
  ctx: Pick<Context, "patterns" | "guard" | "secrets" | "minIntervalMs" | "locations">,
  monitor: unknown,
): Promise<{ definition: Definition; paused: boolean; lostLocations: string[] }> {
  const parsed = monitorInput.safeParse(monitor);
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues));
  const { locations: named = [], ...patch } = patchOf(parsed.data);
  const living = ctx.locations.living();
  const locations = named.filter((name) => living.includes(name));
  const found = await patternFaults(ctx.patterns, patch.check, null);
  const definition = applyInput(ctx, { ...patch, locations }, { before: null, found });
  return { definition, paused: patch.paused === true, lostLocations: named.filter((name) => !living.includes(name)) };
}
