import { AppError, toAppError } from "@sonde/kit/errors";
import type { CallContext } from "./call-context.ts";
import { type PlannedDocument, sendPart } from "./plan.ts";
import type { PreparedDocument } from "./read.ts";

/** Settings refer to monitors by reserved ids, and have no effect until these exist. */
const steps = ["notifications", "monitors", "page"] as const;
const wordsOf = {
  notifications: "channels, templates, schedules, policies, drills, settings, reports",
  monitors: "monitors, service levels",
  page: "maintenance, page",
};

type Applying = {
  document: PreparedDocument;
  planned: PlannedDocument;
  source: string | null;
  revision?: string | undefined;
  by: string;
};

/**
 * Each step is one transaction of one service. Applying a document again completes an interrupted apply.
 * @returns the new generation
 * @throws AppError conflict if a newer generation has started; unavailable, listing what was applied
 */
export async function executePlan(
  context: CallContext,
  { document, planned, source, revision, by }: Applying,
): Promise<number> {
  const { services, ask } = context;
  const { outcomes, writes } = planned;
  const fresh = outcomes
    .filter(({ kind, outcome }) => kind === "monitor" && outcome === "create")
    .map(({ key }) => key);
  const begun = await services.monitors.beginApply({ source, monitors: fresh.length }, ask);
  const { generation } = begun;
  const reserved = Object.fromEntries(fresh.map((key, at) => [key, begun.ids[at] ?? 0]));
  const ids = {
    ...planned.ids,
    monitors: { ...planned.ids.monitors, ...reserved },
    channels: { ...planned.ids.channels },
    policies: { ...planned.ids.policies },
  };
  const applied: string[] = [];
  const end = async (outcome: string) => {
    if (source === null) return;
    await services.monitors.endApply({ source, generation, revision, outcome: outcome.slice(0, 500), by }, ask);
  };
  try {
    for (const step of steps.filter((one) => writes[one] > 0)) {
      const done = await sendPart(context, step, { document, source, generation, ids, reserved });
      for (const { kind, key, id } of done.outcomes) {
        if (kind === "channel" && id !== undefined) ids.channels[key] = id;
        if (kind === "policy" && key in ids.policies) ids.policies[key] = id ?? 0;
      }
      applied.push(wordsOf[step]);
    }
  } catch (thrown) {
    const error = toAppError(thrown);
    await end(error.message).catch(() => {});
    if (error.code !== "unavailable") throw thrown;
    const params = { service: error.params["service"] ?? "database", applied: applied.join(", ") || "–" };
    throw new AppError(
      "unavailable",
      "The {service} service is currently unavailable. Applied so far: {applied}. Apply the document again",
      { params, cause: thrown },
    );
  }
  await end("applied");
  return generation;
}
