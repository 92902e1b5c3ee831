import { changeAnswer, changeInput, changesAnswer, changesQuery } from "@sonde/proto/http/incidents/changes";
import { command, route } from "../route.ts";

const params = { id: "Change does not exist" } as const;

export const changeRoutes = [
  route("GET /api/changes", "session", {
    summary: "List recorded changes, the newest first",
    query: changesQuery,
    answer: changesAnswer,
    handle: ({ services, query, ask }) => services.notifications.listChanges(query, ask),
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
  command("DELETE /api/changes/:id", "write", {
    summary: "Delete a recorded change",
    params,
    message: "Change deleted",
    handle: ({ services, params: { id }, ask }) => services.notifications.deleteChange({ id }, ask),
  }),
];
