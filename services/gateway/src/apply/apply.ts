import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import type { Language } from "@sonde/proto/http/messages";
import type { CallContext } from "./call-context.ts";
import { executePlan } from "./execute-plan.ts";
import { planDocument, presentPlan, refuseConflicts, refuseInvalid, refuseRemovals } from "./plan.ts";
import type { PreparedApply } from "./read.ts";

type Options = { by: string; language: Language; isDry?: boolean };
type Applied = { message?: "Configuration applied" | "Nothing to apply"; plan: ConfigPlan; generation: number };

/** @throws AppError invalid, conflict, impossible; unavailable, listing what was applied */
export async function applyDocument(context: CallContext, document: PreparedApply, options: Options): Promise<Applied> {
  const { by, language, isDry = false } = options;
  const { source, revision, allowDelete } = document;
  const planned = await planDocument(context, document, source);
  const { outcomes, writes } = planned;
  refuseInvalid(outcomes);
  const plan = presentPlan(outcomes, language);
  if (isDry) return { plan, generation: await generationOf(context, source) };
  refuseConflicts(outcomes);
  refuseRemovals(outcomes, allowDelete);
  const isEmpty = Object.values(writes).every((count) => count === 0);
  if (!isEmpty) {
    const generation = await executePlan(context, { document, planned, source, revision, by });
    return { message: "Configuration applied", plan, generation };
  }
  const generation = await generationOf(context, source);
  const note = { source, generation, revision, outcome: "applied", by };
  if (generation > 0) await context.services.monitors.endApply(note, context.ask);
  return { message: "Nothing to apply", plan, generation };
}

/** Returns 0 if the source is unknown or was never applied. */
async function generationOf({ services, ask }: CallContext, source: string): Promise<number> {
  const { sources } = await services.monitors.listSources({}, ask);
  return sources.find((one) => one.name === source)?.generation ?? 0;
}
