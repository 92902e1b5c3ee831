import { producerOfIncident, readEvidence } from "@sonde/domain/incident-timeline";
import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import {
  acknowledgeByLinkInput,
  acknowledgeLinkAnswer,
  acknowledgeLinkQuery,
  type Incident,
  linkEvidenceLines,
  linkSnoozeMinutes,
  snoozeByLinkInput,
  undoByLinkInput,
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
      const incident = await readIncident(input, incidentId);
      const { services, ask, ctx } = input;
      const isDrill = producerOfIncident(incidentId) === "drills";
      const { evidence, latestEvidence } = isDrill
        ? {}
        : await readEvidence(services.metrics, incident, ctx.state.language, ask);
      const found = firstLines(evidence ?? latestEvidence);
      return { incident: { ...presentLinked(incident, runbook), evidence: found }, by };
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
      const { incidentId: id, by, runbook } = await readLink(input, token, { name, acknowledges: true });
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
      const { incidentId: id, by, runbook } = await readLink(input, token, { name });
      const incident = await changeIncident(input, id, (incidents, ask) =>
        incidents.snoozeIncident({ id, minutes: linkSnoozeMinutes, by }, ask),
      );
      return { incident: presentLinked(incident, runbook), by };
    },
  }),
  route(`POST ${path}/undo`, "anyone", {
    summary: "Undo what a message's signed link did within the last minute",
    description: `Only what the same \`by\` did, and at most three times an incident; otherwise 422. ${limitTexts.link}`,
    body: undoByLinkInput,
    refusals: ["not_found"],
    answer: acknowledgeLinkAnswer,
    message: "Undone",
    handle: async ({ body: { token, action, by: name }, ...input }) => {
      const { incidentId: id, by, runbook } = await readLink(input, token, { name });
      const method = action === "snooze" ? "endSnooze" : "unacknowledgeIncident";
      const incident = await changeIncident(input, id, (incidents, ask) => incidents[method]({ id, by }, ask));
      return { incident: presentLinked(incident, runbook), by };
    },
  }),
];

export function firstLines(found: Evidence | undefined) {
  if (found === undefined) return undefined;
  const { at, location, status, expected, addresses, certificate, steps } = found;
  return {
    at,
    location,
    status,
    certificate,
    expected: expected?.split("\n").slice(0, linkEvidenceLines).join("\n"),
    addresses: addresses?.slice(0, linkEvidenceLines),
    steps,
  };
}

type Using = { name?: string | undefined; acknowledges?: boolean };

/**
 * An entered name is unverified, so the name of the link's channel is added to it.
 * @throws AppError `too_many`; `invalid` for a forged or expired link
 */
async function readLink({ linkReads, ctx, services, ask }: HandlerBase, token: string, given: Using = {}) {
  await linkReads(ctx.state.address);
  const { name, acknowledges } = given;
  const link = await services.notifications.readAcknowledgeLink({ token, acknowledges }, ask);
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
