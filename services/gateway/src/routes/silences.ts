import { silenceAnswer, silenceInput, silencePatch, silencesAnswer } from "@sonde/proto/http/status/silences";
import { command, route } from "../route.ts";

const params = { id: "Silence does not exist" } as const;

export const silenceRoutes = [
  route("GET /api/silences", "session", {
    summary: "List active silences, the first to end first",
    answer: silencesAnswer,
    handle: async ({ services, ask }) => {
      const { silences } = await services.statusPage.listSilences({}, ask);
      return { silences, total: silences.length };
    },
  }),
  route("POST /api/silences", "write", {
    idempotent: true,
    summary: "Silence a monitor, an agent, or all monitors and agents with a tag, which defers their messages",
    description:
      "Checks, incidents, uptime and the public page are not affected. Messages due until then are sent at the end if they still apply; the recovery of an incident that was already reported is sent immediately. A tag covers the monitors and agents that have it now, at most 1,000 of each. At most 200 silences can be active, otherwise 422.",
    body: silenceInput,
    status: 201,
    answer: silenceAnswer,
    message: "Silence started",
    handle: async ({ services, body, ask }) => ({ silence: await services.statusPage.createSilence(body, ask) }),
  }),
  route("PUT /api/silences/:id", "write", {
    summary: "Move the end of an active silence, for example to extend it",
    params,
    body: silencePatch,
    answer: silenceAnswer,
    message: "Silence updated",
    handle: async ({ services, params: { id }, body, ask }) => ({
      silence: await services.statusPage.updateSilence({ ...body, id }, ask),
    }),
  }),
  command("DELETE /api/silences/:id", "write", {
    summary: "End a silence and send deferred messages",
    params,
    message: "Silence ended",
    handle: ({ services, params: { id }, ask }) => services.statusPage.endSilence({ id }, ask),
  }),
];
