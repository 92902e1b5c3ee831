import type { incidentsBulkAnswer, incidentsBulkInput } from "@sonde/proto/http/incidents/incidents";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { toast } from "../../ui/alert.tsx";
import { type AnswerOf, api } from "../../app/api.ts";
import { errorText, type Fallback } from "../../app/errors.ts";
import { useUndo } from "../../app/undo.ts";

const shownIn = [
  "Incident",
  "IncidentList",
  "Incidents",
  "AgentIncidents",
  "Dashboard",
  "NotificationSettings",
] as const;

const { useBulkIncidentsMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    bulkIncidents: build.mutation<AnswerOf<typeof incidentsBulkAnswer>, z.input<typeof incidentsBulkInput>>({
      query: (body) => ({ url: "/incidents/bulk", method: "POST", body, timeout: maxMs }),
      invalidatesTags: (_answer, error) => (error === undefined ? shownIn : []),
    }),
  }),
});

const maxMs = 30_000;
const maxIds = 200;

type Change = Omit<z.input<typeof incidentsBulkInput>, "ids">;

/** Resolves to the ids of the changed incidents. */
export function useChangeMany(fallback: Fallback, inverse: Change["action"]) {
  const { t } = useTranslation();
  const offerUndo = useUndo();
  const [run, { isLoading }] = useBulkIncidentsMutation();
  async function changeMany(ids: readonly string[], change: Change, wordsOf: (count: number) => string) {
    const { data, error } = await run({ ids: ids.slice(0, maxIds), ...change });
    if (data === undefined) {
      toast("error", errorText(error, fallback));
      return [];
    }
    const done = data.incidents.map(({ id }) => id);
    const [failure] = data.failed;
    if (failure !== undefined)
      toast("error", t("incidents.failedMany", { count: data.failed.length, reason: failure.message }));
    if (done.length > 0) offerUndo(wordsOf(done.length), () => run({ ids: done, action: inverse }), fallback);
    return done;
  }
  return [changeMany, isLoading] as const;
}

export function useAcknowledgeMany() {
  const { t } = useTranslation();
  const [changeMany, isLoading] = useChangeMany("acknowledge", "unacknowledge");
  const acknowledgeMany = (ids: readonly string[]) =>
    changeMany(ids, { action: "acknowledge" }, (count) => t("incidents.acknowledgedMany", { count }));
  return [acknowledgeMany, isLoading] as const;
}
