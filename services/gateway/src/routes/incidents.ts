import { orNull, toAppError } from "@sonde/kit/errors";
import { readTimeline } from "@sonde/domain/incident-timeline";
import { changeAnswer, changeInput } from "@sonde/proto/http/incidents/changes";
import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import {
  acknowledgeInput,
  type Incident,
  incidentAnswer,
  incidentId,
  incidentsAnswer,
  incidentsBulkAnswer,
  incidentsBulkInput,
  incidentsQuery,
  incidentStoryAnswer,
  monitorIncidentsQuery,
  snoozeInput,
} from "@sonde/proto/http/incidents/incidents";
import { translate } from "@sonde/proto/http/messages";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import { silencedUntil } from "../events/maintenance.ts";
import { changeIncident, readIncidents, withSilence } from "../incidents/read.ts";
import { type HandlerBase, route } from "../route.ts";
import { mayReadAudit, mayWrite } from "../sessions/scopes.ts";
import { isId } from "../validate.ts";

const params = { id: { missing: "Incident does not exist", schema: incidentId } } as const;
const isTrue = (text: "true" | "false" | undefined) => (text === undefined ? undefined : text === "true");

async function storyWithoutNotifications(...[services, input, ask]: Parameters<typeof readTimeline>) {
  const own = await readTimeline(services, input, ask);
  return { ...own, channels: [], unavailable: [...own.unavailable, "notifications" as const] };
}

const withoutBody = (evidence: Evidence | undefined) => evidence && { ...evidence, body: undefined };

const atOnce = 8;
const bulkMethods = {
  acknowledge: "acknowledgeIncident",
  unacknowledge: "unacknowledgeIncident",
  unsnooze: "endSnooze",
} as const;

export const incidentRoutes = [
  route("GET /api/incidents", "session", {
    summary: "List incidents, open ones first, then the newest",
    query: incidentsQuery,
    answer: incidentsAnswer,
    handle: async ({ query: { target: wanted, open, acknowledged, ...query }, ...input }) => {
      const target = wanted === undefined ? undefined : readTarget(wanted);
      if (target !== undefined && !isId(target.id)) return { incidents: [], total: 0 };
      // A search must not reveal text that the list hides.
      const hideOutput = mayWrite(input.session) ? undefined : true;
      const filter = { ...query, target, open: isTrue(open), acknowledged: isTrue(acknowledged), hideOutput };
      return readIncidents(input, filter);
    },
  }),
  route("GET /api/incidents/:id", "session", {
    summary: "Get an incident with its timeline, and why each channel was or was not notified",
    description:
      "Texts are in the requested language. Unavailable services are listed in `unavailable`, and their entries are missing. `evidence` is what a failed check found, with secrets masked. Users without write access get it without `body`, causes without job output, and attempts without the provider's response.",
    params,
    answer: incidentStoryAnswer,
    handle: async ({ params: { id }, ctx, session, ...input }) => {
      const { services, ask } = input;
      const isReader = !mayWrite(session);
      const showEditors = mayReadAudit(session) ? true : undefined;
      const asked = { id, language: ctx.state.language, showEditors, ...(isReader && { hideAnswers: true }) };
      const whole = await orNull(services.notifications.incidentStory(asked, ask));
      const story = silenced(input, whole ?? (await storyWithoutNotifications(services, asked, ask)));
      if (!isReader) return story;
      const { evidence, latestEvidence } = story;
      return { ...story, evidence: withoutBody(evidence), latestEvidence: withoutBody(latestEvidence) };
    },
  }),
  route("POST /api/incidents/:id/acknowledge", "write", {
    summary: "Acknowledge an incident, which stops its reminders",
    params,
    body: acknowledgeInput,
    answer: incidentAnswer,
    message: "Incident acknowledged",
    handle: async ({ params: { id }, body: { note }, ...input }) => ({
      incident: await changeIncident(input, id, (incidents, ask) => incidents.acknowledgeIncident({ id, note }, ask)),
    }),
  }),
  route("DELETE /api/incidents/:id/acknowledge", "write", {
    summary: "Remove an acknowledgement and its note, which resumes reminders",
    params,
    answer: incidentAnswer,
    message: "Acknowledgement removed",
    handle: async ({ params: { id }, ...input }) => ({
      incident: await changeIncident(input, id, (incidents, ask) => incidents.unacknowledgeIncident({ id }, ask)),
    }),
  }),
  route("POST /api/incidents/:id/snooze", "write", {
    summary: "Snooze an open incident, which defers its messages",
    description:
      "Messages due until then (opening, flapping, reminders) are sent at the end. A recovery is sent immediately and ends the snooze. A new end replaces the current one.",
    params,
    body: snoozeInput,
    answer: incidentAnswer,
    message: "Incident snoozed",
    handle: async ({ params: { id }, body, ...input }) => ({
      incident: await changeIncident(input, id, (incidents, ask) => incidents.snoozeIncident({ id, ...body }, ask)),
    }),
  }),
  route("DELETE /api/incidents/:id/snooze", "write", {
    summary: "End the snooze of an incident and send deferred messages",
    params,
    answer: incidentAnswer,
    message: "Snooze ended",
    handle: async ({ params: { id }, ...input }) => ({
      incident: await changeIncident(input, id, (incidents, ask) => incidents.endSnooze({ id }, ask)),
    }),
  }),
  route("GET /api/monitors/:id/incidents", "session", {
    summary: "List a monitor's incidents, open ones first, then the newest",
    params: { id: "Monitor does not exist" },
    query: monitorIncidentsQuery,
    answer: incidentsAnswer,
    handle: async ({ params: { id }, query, ...input }) => {
      const [, page] = await Promise.all([
        input.services.monitors.getMonitor({ id }, input.ask),
        readIncidents(input, { ...query, target: { type: "monitor", id } }),
      ]);
      return page;
    },
  }),
  route("POST /api/incidents/bulk", "write", {
    summary: "Acknowledge or snooze several incidents, or undo it",
    description:
      "`snooze` takes `minutes` or `until`. Each incident is changed independently; those that could not be changed are listed in `failed` with the reason.",
    body: incidentsBulkInput,
    answer: incidentsBulkAnswer,
    handle: async ({ body: { ids, action, ...end }, ctx, ...input }) => {
      const left = [...new Set(ids)];
      const incidents: Incident[] = [];
      const failed: { id: string; message: string }[] = [];
      async function work() {
        for (let id = left.shift(); id !== undefined; id = left.shift()) {
          const named = { id };
          try {
            incidents.push(
              await changeIncident(input, id, (producer, ask) => {
                if (action === "snooze") return producer.snoozeIncident({ ...named, ...end }, ask);
                return producer[bulkMethods[action]](named, ask);
              }),
            );
          } catch (thrown) {
            const error = toAppError(thrown);
            if (error.code === "internal") throw thrown;
            failed.push({ id, message: translate(error.key, ctx.state.language, error.params) });
          }
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work));
      return { incidents, failed };
    },
  }),
  route("POST /api/changes", "write", {
    idempotent: true,
    summary: "Record a change, such as a deployment, which incidents of the next hour show",
    description: "Changes are kept for 90 days. Beyond 10,000, the oldest ones are deleted.",
    body: changeInput,
    status: 201,
    answer: changeAnswer,
    message: "Change recorded",
    handle: async ({ services, body, ask }) => ({ change: await services.notifications.createChange(body, ask) }),
  }),
];

/** Also for closed incidents, since the next one would be silenced too. */
function silenced<Story extends { incident: Incident }>(
  known: Pick<HandlerBase, "maintenance" | "clock">,
  story: Story,
): Story & { silencedUntil?: string | undefined } {
  const { type, id } = story.incident.target;
  return { ...story, incident: withSilence(known, story.incident), silencedUntil: silencedUntil(known, type, id) };
}
