import type { incidentAnswer } from "@sonde/proto/http/incidents/incidents";
import { type AnswerOf, api } from "../../app/api.ts";
import type { QuietEnd } from "../silences/ends.ts";

type Changed = AnswerOf<typeof incidentAnswer>;

const shownIn = ["IncidentList", "Incidents", "AgentIncidents", "Dashboard", "NotificationSettings"] as const;

const changed = (_answer: unknown, error: unknown, { id }: { id: string }) =>
  error === undefined ? [{ type: "Incident" as const, id }, ...shownIn] : [];

const incidentApi = api.injectEndpoints({
  endpoints: (build) => ({
    acknowledge: build.mutation<Changed, { id: string; note?: string | undefined }>({
      query: ({ id, note }) => ({ url: `/incidents/${id}/acknowledge`, method: "POST", body: { note } }),
      invalidatesTags: changed,
    }),
    takeBackAcknowledgement: build.mutation<Changed, { id: string }>({
      query: ({ id }) => ({ url: `/incidents/${id}/acknowledge`, method: "DELETE" }),
      invalidatesTags: changed,
    }),
    snooze: build.mutation<Changed, { id: string; end: QuietEnd }>({
      query: ({ id, end }) => ({ url: `/incidents/${id}/snooze`, method: "POST", body: end }),
      invalidatesTags: changed,
    }),
    endSnooze: build.mutation<Changed, { id: string }>({
      query: ({ id }) => ({ url: `/incidents/${id}/snooze`, method: "DELETE" }),
      invalidatesTags: changed,
    }),
  }),
});

export const { useAcknowledgeMutation, useTakeBackAcknowledgementMutation, useSnoozeMutation, useEndSnoozeMutation } =
  incidentApi;
