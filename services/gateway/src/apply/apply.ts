import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import type { Language } from "@sonde/proto/http/messages";
import type { Asking } from "./asking.ts";
import { carryOut } from "./carry-out.ts";
import { planDocument, presentPlan, refuseConflicts, refuseFaults, refuseRemovals } from "./plan.ts";
import type { PreparedApply } from "./read.ts";

type Options = { by: string; language: Language; isDry?: boolean };
type Applied = { message?: "Configuration applied" | "Nothing to apply"; plan: ConfigPlan; generation: number };

/**
 * Plans a document, and carries it out unless it is only a plan that is asked for.
 * @throws AppError invalid, conflict, impossible; unavailable that names what was applied
 */
export async function applyDocument(asking: Asking, document: PreparedApply, options: Options): Promise<Applied> {
  const { by, language, isDry = false } = options;
  const { source, revision, allowDelete } = document;
  const planned = await planDocument(asking, document, source);
  const { outcomes, writes } = planned;
  refuseFaults(outcomes);
  const plan = presentPlan(outcomes, language);
  if (isDry) return { plan, generation: await generationOf(asking, source) };
  refuseConflicts(outcomes);
  refuseRemovals(outcomes, allowDelete);
  const isEmpty = Object.values(writes).every((count) => count === 0);
  if (!isEmpty) {
    const generation = await carryOut(asking, { document, planned, source, revision, by });
    return { message: "Configuration applied", plan, generation };
  }
  const generation = await generationOf(asking, source);
  const note = { source, generation, revision, outcome: "applied", by };
  if (generation > 0) await asking.services.monitors.endApply(note, asking.ask);
  return { message: "Nothing to apply", plan, generation };
}

/** 0: there is no such source, or none that was applied. */
async function generationOf({ services, ask }: Asking, source: string): Promise<number> {
  const { sources } = await services.monitors.listSources({}, ask);
  return sources.find((one) => one.name === source)?.generation ?? 0;
}
