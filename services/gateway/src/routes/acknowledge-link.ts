import {
  acknowledgeByLinkInput,
  acknowledgeLinkAnswer,
  acknowledgeLinkQuery,
  type Incident,
  linkSnoozeMinutes,
  snoozeByLinkInput,
} from "@sonde/proto/http/incidents/incidents";
import { changeIncident, readIncident } from "../incidents/read.ts";
import { limitTexts } from "../middleware/limits.ts";
import { type HandlerBase, route } from "../route.ts";

const path = "/api/incidents/acknowledge-link";

export const acknowledgeLinkRoutes = [
  route(`GET ${path}`, "anyone", {
    summary: "Get the incident of a message's signed link; changes nothing, because mail scanners follow links",
    description: limitTexts.link,
    query: acknowledgeLinkQuery,
    refusals: ["not_found", "too_many"],
    answer: acknowledgeLinkAnswer,
    handle: async ({ query, ...input }) => {
      const { incidentId, by, runbook } = await readLink(input, query.token);
      return { incident: presentLinked(await readIncident(input, incidentId), runbook), by };
    },
  }),
  route(`POST ${path}`, "anyone", {
    summary: "Acknowledge an incident with a message's signed link",
    description: limitTexts.link,
    body: acknowledgeByLinkInput,
    refusals: ["not_found"],
    answer: acknowledgeLinkAnswer,
    message: "Incident acknowledged",
    handle: async ({ body: { token, note, by: name }, ...input }) => {
      const { incidentId: id, by, runbook } = await readLink(input, token, name);
      const incident = await changeIncident(input, id, (incidents, ask) =>
        incidents.acknowledgeIncident({ id, note, by }, ask),
      );
      return { incident: presentLinked(incident, runbook), by };
    },
  }),
  route(`POST ${path}/snooze`, "anyone", {
    summary: `Snooze an incident for ${linkSnoozeMinutes} minutes with a message's signed link`,
    description: `A longer snooze is kept. ${limitTexts.link}`,
    body: snoozeByLinkInput,
    refusals: ["not_found"],
    answer: acknowledgeLinkAnswer,
    message: "Incident snoozed",
    handle: async ({ body: { token, by: name }, ...input }) => {
      const { incidentId: id, by, runbook } = await readLink(input, token, name);
      const incident = await changeIncident(input, id, (incidents, ask) =>
        incidents.snoozeIncident({ id, minutes: linkSnoozeMinutes, by }, ask),
      );
      return { incident: presentLinked(incident, runbook), by };
    },
  }),
];

/**
 * An entered name is unverified, so the name of the link's channel is added to it.
 * @throws AppError `too_many`; `invalid` for a forged or expired link
 */
async function readLink({ linkReads, ctx, services, ask }: HandlerBase, token: string, name?: string) {
  await linkReads(ctx.state.address);
  const link = await services.notifications.readAcknowledgeLink({ token }, ask);
  return { ...link, by: name === undefined ? link.by : `${name} (${link.by})` };
}

/** Contains only what the message with the link did, and who has acknowledged since. */
const presentLinked = (incident: Incident, runbook: string) => {
  const { id, target, openedAt, cause, closedAt, acknowledgedAt, acknowledgedBy, snoozedUntil } = incident;
  return {
    id,
    targetName: target.name,
    openedAt,
    cause,
    isOpen: closedAt === undefined,
    acknowledged: acknowledgedAt !== undefined,
    acknowledgedBy,
    snoozedUntil,
    runbook: runbook || undefined,
  };
};
