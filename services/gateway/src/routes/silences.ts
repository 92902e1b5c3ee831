import { silenceAnswer, silenceInput, silencesAnswer } from "@sonde/proto/http/status/silences";
import { command, route } from "../route.ts";

export const silenceRoutes = [
  route("GET /api/silences", "session", {
    summary: "List the silences that run, the first to end first",
    answer: silencesAnswer,
    handle: async ({ services, ask }) => {
      const { silences } = await services.statusPage.listSilences({}, ask);
      return { silences, total: silences.length };
    },
  }),
  route("POST /api/silences", "write", {
    idempotent: true,
    summary: "Hold the messages of a monitor, an agent, or all monitors and agents with a tag, until an end",
    description:
      "Checks, incidents, uptime and the public page go on as without it. What is due meanwhile is sent at the end, if it still holds; that something recovered of which people know is sent at once. A tag stands for the monitors and agents that have it now, at most 1,000 of each. At most 200 silences run at once, else 422.",
    body: silenceInput,
    status: 201,
    answer: silenceAnswer,
    message: "Silence started",
    handle: async ({ services, body, ask }) => ({ silence: await services.statusPage.createSilence(body, ask) }),
  }),
  command("DELETE /api/silences/:id", "write", {
    summary: "End a silence: what it held is sent",
    params: { id: "Silence does not exist" },
    message: "Silence ended",
    handle: ({ services, params: { id }, ask }) => services.statusPage.endSilence({ id }, ask),
  }),
];
