import type { messageAnswer } from "@sonde/proto/http/auth";
import type {
  maintenanceAnswer,
  maintenanceInput,
  maintenanceListAnswer,
  maintenancePatch,
  maintenanceQuery,
  Maintenance,
} from "@sonde/proto/http/status/maintenance";
import type { z } from "zod";
import { type AnswerOf, type QueryOf, api } from "../../../app/api.ts";

type Changed = AnswerOf<typeof maintenanceAnswer>;

const changed = (_answer: unknown, error: unknown) => (error === undefined ? (["Maintenance"] as const) : []);

const maintenanceApi = api.enhanceEndpoints({ addTagTypes: ["Maintenance"] }).injectEndpoints({
  endpoints: (build) => ({
    maintenanceList: build.query<AnswerOf<typeof maintenanceListAnswer>, QueryOf<typeof maintenanceQuery>>({
      query: (params) => ({ url: "/maintenance", params }),
      providesTags: ["Maintenance"],
    }),
    maintenance: build.query<Maintenance, number>({
      query: (id) => `/maintenance/${id}`,
      transformResponse: ({ maintenance }: Changed) => maintenance,
      // Not refetched after its own changes: the form that shows it keeps what is typed.
    }),
    planMaintenance: build.mutation<Changed, z.input<typeof maintenanceInput>>({
      query: (body) => ({ url: "/maintenance", method: "POST", body }),
      invalidatesTags: changed,
    }),
    updateMaintenance: build.mutation<Changed, { id: number; input: z.input<typeof maintenancePatch> }>({
      query: ({ id, input }) => ({ url: `/maintenance/${id}`, method: "PUT", body: input }),
      invalidatesTags: changed,
    }),
    endMaintenance: build.mutation<Changed, number>({
      query: (id) => ({ url: `/maintenance/${id}/end`, method: "POST", body: {} }),
      invalidatesTags: changed,
    }),
    removeMaintenance: build.mutation<AnswerOf<typeof messageAnswer>, number>({
      query: (id) => ({ url: `/maintenance/${id}`, method: "DELETE" }),
      invalidatesTags: changed,
    }),
  }),
});

export const {
  useMaintenanceListQuery,
  useMaintenanceQuery,
  usePlanMaintenanceMutation,
  useUpdateMaintenanceMutation,
  useEndMaintenanceMutation,
  useRemoveMaintenanceMutation,
} = maintenanceApi;
