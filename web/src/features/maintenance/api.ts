import type { messageAnswer } from "@sonde/proto/http/auth";
import type {
  maintenanceAnswer,
  maintenanceInput,
  maintenanceListAnswer,
  maintenancePatch,
  maintenanceQuery,
  Maintenance,
  occurrencesAnswer,
  occurrencesQuery,
} from "@sonde/proto/http/status/maintenance";
import type { z } from "zod";
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";
import { onSuccess, post, put, remove } from "../../app/mutations.ts";

type Changed = AnswerOf<typeof maintenanceAnswer>;

const maintenanceApi = api.enhanceEndpoints({ addTagTypes: ["Maintenance"] }).injectEndpoints({
  endpoints: (build) => ({
    maintenanceList: build.query<AnswerOf<typeof maintenanceListAnswer>, QueryOf<typeof maintenanceQuery>>({
      query: (params) => ({ url: "/maintenance", params }),
      providesTags: ["Maintenance"],
    }),
    occurrences: build.query<AnswerOf<typeof occurrencesAnswer>, QueryOf<typeof occurrencesQuery>>({
      query: (params) => ({ url: "/maintenance/occurrences", params }),
      providesTags: ["Maintenance"],
    }),
    maintenance: build.query<Maintenance, number>({
      query: (id) => `/maintenance/${id}`,
      transformResponse: ({ maintenance }: Changed) => maintenance,
      // No tags, because a refetch after saving would reset the open form.
    }),
    planMaintenance: build.mutation<Changed, z.input<typeof maintenanceInput>>(post("/maintenance", "Maintenance")),
    updateMaintenance: build.mutation<Changed, { id: number; input: z.input<typeof maintenancePatch> }>(
      put("/maintenance", "Maintenance"),
    ),
    endMaintenance: build.mutation<Changed, number>({
      query: (id) => ({ url: `/maintenance/${id}/end`, method: "POST", body: {} }),
      invalidatesTags: onSuccess("Maintenance"),
    }),
    removeMaintenance: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove("/maintenance", "Maintenance")),
  }),
});

export const {
  useMaintenanceListQuery,
  useMaintenanceQuery,
  useOccurrencesQuery,
  usePlanMaintenanceMutation,
  useUpdateMaintenanceMutation,
  useEndMaintenanceMutation,
  useRemoveMaintenanceMutation,
} = maintenanceApi;
