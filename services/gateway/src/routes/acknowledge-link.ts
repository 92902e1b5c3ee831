import {
  acknowledgeByLinkInput,
  acknowledgeLinkAnswer,
  acknowledgeLinkQuery,
  type Incident,
} from "@sonde/proto/http/incidents/incidents";
import { acknowledgeIncident, readIncident } from "../incidents/read.ts";
import { limitTexts } from "../middleware/limits.ts";
import { route } from "../route.ts";

const path = "/api/incidents/acknowledge-link";

/** The signed link of a message, for people who are not logged in. */
export const acknowledgeLinkRoutes = [
  route({
    method: "GET",
    path,
    who: "anyone",
    summary: "What a message's signed link would acknowledge; it changes nothing, for scanners of mail follow links",
    description: limitTexts.link,
    query: acknowledgeLinkQuery,
    refusals: ["not_found", "too_many"],
    answer: acknowledgeLinkAnswer,
    handle: async ({ query, linkReads, ctx, ...input }) => {
      await linkReads(ctx.state.address);
      const { incidentId, by } = await input.services.notifications.readAcknowledgeLink(query, input.ask);
      return { incident: presentLinked(await readIncident(input, incidentId)), by };
    },
  }),
  route({
    method: "POST",
    path,
    who: "anyone",
    summary: "Acknowledge an incident by a message's signed link",
    description: limitTexts.link,
    body: acknowledgeByLinkInput,
    refusals: ["not_found"],
    answer: acknowledgeLinkAnswer,
    handle: async ({ body: { token, note }, linkReads, ctx, ...input }) => {
      await linkReads(ctx.state.address);
      const { incidentId, by } = await input.services.notifications.readAcknowledgeLink({ token }, input.ask);
      const incident = await acknowledgeIncident(input, { id: incidentId, note, by });
      return { message: "Incident acknowledged", incident: presentLinked(incident), by };
    },
  }),
];

/** No more than the message with the link contained. */
const presentLinked = ({ id, target, openedAt, closedAt, acknowledgedAt }: Incident) => ({
  id,
  targetName: target.name,
  openedAt,
  isOpen: closedAt === undefined,
  acknowledged: acknowledgedAt !== undefined,
});
