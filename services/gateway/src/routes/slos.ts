import { impossible, toAppError } from "@sonde/kit/errors";
import type { AskOptions } from "@sonde/kit/bus/rpc";
import type { Language } from "@sonde/proto/http/messages";
import { sloAnswer, sloInput, sloPatch, slosAnswer, slosQuery } from "@sonde/proto/http/slos";
import { command, route } from "../route.ts";
import type { Services } from "../services.ts";

const params = { id: "Service level does not exist" } as const;
const refused =
  "422 for a monitor or policy that does not exist, for a group, and for a window longer than hourly figures are kept.";

export const sloRoutes = [
  route("GET /api/slos", "session", {
    summary: "List service levels with their budgets",
    description: "The figures are at most a minute old. Without metrics they are missing, and `unavailable` says so.",
    query: slosQuery,
    answer: slosAnswer,
    handle: ({ services, query, ctx, ask }) =>
      services.monitors.listSlos({ ...query, language: ctx.state.language }, ask),
  }),
  route("POST /api/slos", "write", {
    idempotent: true,
    summary: "Create a service level",
    description: `At most 1,000. ${refused}`,
    body: sloInput,
    status: 201,
    answer: sloAnswer,
    message: "Service level created",
    handle: async ({ services, body, ctx: { state }, ask }) => {
      await refuseMissingPolicy(services, body, state.language, ask);
      return { slo: await services.monitors.createSlo({ ...body, language: state.language }, ask) };
    },
  }),
  route("GET /api/slos/:id", "session", {
    summary: "Get a service level with its budget",
    params,
    answer: sloAnswer,
    handle: async ({ services, params: { id }, ctx, ask }) => ({
      slo: await services.monitors.getSlo({ id, language: ctx.state.language }, ask),
    }),
  }),
  route("PUT /api/slos/:id", "write", {
    summary: "Change all or some fields of a service level, which closes the incident of its burn alert",
    description: `An incident opens again while the budget is still spent too fast. ${refused}`,
    params,
    body: sloPatch,
    refusals: ["conflict"],
    answer: sloAnswer,
    message: "Service level updated",
    handle: async ({ services, params: { id }, body, ctx: { state }, ask }) => {
      await refuseMissingPolicy(services, body, state.language, ask);
      return { slo: await services.monitors.updateSlo({ ...body, id, language: state.language }, ask) };
    },
  }),
  command("DELETE /api/slos/:id", "write", {
    summary: "Delete a service level, and close the incident of its burn alert",
    params,
    refusals: ["conflict"],
    message: "Service level deleted",
    handle: ({ services, params: { id }, ask }) => services.monitors.deleteSlo({ id }, ask),
  }),
];

/** @throws AppError impossible */
async function refuseMissingPolicy(
  { onCall }: Pick<Services, "onCall">,
  { policyId }: { policyId?: number | null | undefined },
  language: Language,
  ask: AskOptions,
): Promise<void> {
  if (policyId == null) return;
  await onCall.getPolicy({ id: policyId, language }, ask).catch((thrown: unknown) => {
    if (toAppError(thrown).code !== "not_found") throw thrown;
    throw impossible([{ path: "policyId", message: "Escalation policy does not exist" }]);
  });
}
