import { toAppError } from "@sonde/kit/errors";
import { type Incident, incidentsBulkAnswer, incidentsBulkInput } from "@sonde/proto/http/incidents/incidents";
import { translate } from "@sonde/proto/http/messages";
import { changeIncident } from "../incidents/read.ts";
import { route } from "../route.ts";

const atOnce = 8;

const methods = {
  acknowledge: "acknowledgeIncident",
  unacknowledge: "unacknowledgeIncident",
  unsnooze: "endSnooze",
} as const;

export const incidentBulkRoutes = [
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
                return producer[methods[action]](named, ask);
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
];
