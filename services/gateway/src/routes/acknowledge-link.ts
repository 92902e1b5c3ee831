import { producerOfIncident, readEvidence } from "@sonde/domain/incident-timeline";
import type { AskOptions } from "@sonde/kit/bus/rpc";
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
import { changeIncident, readIncident, readIncidents } from "../incidents/read.ts";
import { limitTexts } from "../middleware/limits.ts";
import { type HandlerBase, route } from "../route.ts";
import type { Services } from "../services.ts";

const path = "/api/incidents/acknowledge-link";

export const acknowledgeLinkRoutes = [
  route(`GET ${path}`, "anyone", {
    summary: "Get the incident of a message's signed link; changes nothing, because mail scanners follow links",
    description: limitTexts.link,
    query: acknowledgeLinkQuery,
    refusals: ["not_found", "too_many"],
    answer: acknowledgeLinkAnswer,
    handle: async ({ query, ...input }) => {
      const link = await readLink(input, query.token);
      const { incidentId, others, by } = link;
      const incident = await readIncident(input, incidentId);
      const { services, ask, ctx } = input;
      const hasNone = others.length > 0 || producerOfIncident(incidentId) === "drills";
      const { evidence, latestEvidence } = hasNone
        ? {}
        : await readEvidence(services.metrics, incident, ctx.state.language, ask);
      const found = firstLines(evidence ?? latestEvidence);
      return {
        incident: { ...presentLinked(incident, link), evidence: found },
        ...(await readOthers(input, link)),
        by,
      };
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
      const link = await readLink(input, token, { name, acknowledges: true });
      const { by } = link;
      const acknowledgers = [...link.acknowledgers, by];
      return changeLinked(input, { ...link, acknowledgers }, (incidents, id, ask) =>
        incidents.acknowledgeIncident({ id, note, by }, ask),
      );
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
      const link = await readLink(input, token, { name });
      const { by } = link;
      return changeLinked(input, link, (incidents, id, ask) =>
        incidents.snoozeIncident({ id, minutes: linkSnoozeMinutes, by }, ask),
      );
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
      const link = await readLink(input, token, { name });
      const { by } = link;
      const method = action === "snooze" ? "endSnooze" : "unacknowledgeIncident";
      return changeLinked(input, link, (incidents, id, ask) => incidents[method]({ id, by }, ask));
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

type Change = (incidents: Services["incidents"], id: string, options: AskOptions) => Promise<{ incident: Incident }>;

/**
 * Changes the link's incident. Of a combined message, changes all that can be: some may be over. Their states are then
 * in the response.
 */
async function changeLinked(input: HandlerBase, link: Link, change: Change) {
  const { incidentId, others, by } = link;
  const run = (id: string) => changeIncident(input, id, (incidents, ask) => change(incidents, id, ask));
  const first = run(incidentId).catch((thrown: unknown) => {
    if (others.length === 0) throw thrown;
    return readIncident(input, incidentId);
  });
  const [incident] = await Promise.all([first, Promise.allSettled(others.map(run))]);
  return { incident: presentLinked(incident, link), ...(await readOthers(input, link)), by };
}

async function readOthers(input: HandlerBase, { others }: Link) {
  if (others.length === 0) return {};
  const query = { page: 1, pageSize: others.length, ids: others, uncounted: true };
  const found = new Map((await readIncidents(input, query)).incidents.map((incident) => [incident.id, incident]));
  // In the order of the message, without those that no longer exist.
  return { others: others.flatMap((id) => found.get(id) ?? []).map(presentState) };
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
  return { ...link, by: name === undefined || name === link.by ? link.by : `${name} (${link.by})` };
}

type Link = Awaited<ReturnType<typeof readLink>>;

const presentState = ({ id, target, openedAt, cause, closedAt, acknowledgedAt, acknowledgedBy }: Incident) => ({
  id,
  targetName: target.name,
  openedAt,
  cause,
  isOpen: closedAt === undefined,
  acknowledged: acknowledgedAt !== undefined,
  acknowledgedBy,
});

/** Contains only what the message with the link did, and who has acknowledged since. */
const presentLinked = (incident: Incident, { runbook, acknowledgers, needs }: Link) => {
  const { acknowledgedAt, acknowledgedBy, snoozedUntil } = incident;
  return {
    ...presentState(incident),
    // The notifier may not know the newest one yet.
    ...(needs > 1 && {
      needs,
      acknowledgers: acknowledgedAt === undefined ? [] : [...new Set([acknowledgedBy ?? [], acknowledgers].flat())],
    }),
    snoozedUntil,
    runbook: runbook || undefined,
  };
};
