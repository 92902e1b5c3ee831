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

/** The signed link of a message, for people who are not logged in. */
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
 * What a link is about, and who uses it: a name that anybody may give counts with that of the link's channel.
 * @throws AppError `too_many`; `invalid`: it is no link of ours, or too old
 */
async function readLink({ linkReads, ctx, services, ask }: HandlerBase, token: string, name?: string) {
  await linkReads(ctx.state.address);
  const link = await services.notifications.readAcknowledgeLink({ token }, ask);
  return { ...link, by: name === undefined ? link.by : `${name} (${link.by})` };
}

/** No more than the message with the link contained, and who works on it since. */
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
