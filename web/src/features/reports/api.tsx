import type { messageAnswer } from "@sonde/proto/http/auth";
import type { reportAnswer, ReportInput, ReportPatch, reportsAnswer, reportsQuery } from "@sonde/proto/http/reports";
import { type AnswerOf, api, type QueryOf } from "../../app/api.ts";
import { paths } from "../../app/paths.ts";
import { onSuccess, post, put, remove } from "../../app/mutations.ts";
import type { ObjectPages } from "../../lists/object-pages.tsx";
import { PageIcon } from "../../ui/icons.tsx";

export const pages: ObjectPages = {
  kind: "report",
  icon: <PageIcon />,
  list: paths.reports,
  create: paths.reportCreate,
  page: paths.report,
  edit: paths.reportEdit,
};

type Changed = AnswerOf<typeof reportAnswer>;
/** A report of 200 targets takes seconds, and its mails as well. */
const sendTimeoutMs = 60_000;

const reportsApi = api.enhanceEndpoints({ addTagTypes: ["Reports"] }).injectEndpoints({
  endpoints: (build) => ({
    reports: build.query<AnswerOf<typeof reportsAnswer>, QueryOf<typeof reportsQuery>>({
      query: (params) => ({ url: "/reports", params }),
      providesTags: ["Reports"],
    }),
    report: build.query<Changed, number>({ query: (id) => `/reports/${id}`, providesTags: ["Reports"] }),
    createReport: build.mutation<Changed, ReportInput>(post("/reports", "Reports")),
    updateReport: build.mutation<Changed, { id: number; input: ReportPatch }>(put("/reports", "Reports")),
    deleteReport: build.mutation<AnswerOf<typeof messageAnswer>, number>(remove("/reports", "Reports")),
    sendReport: build.mutation<Changed, number>({
      query: (id) => ({ url: `/reports/${id}/send`, method: "POST", body: {}, timeout: sendTimeoutMs }),
      invalidatesTags: onSuccess("Reports"),
    }),
  }),
});

export const {
  useReportsQuery,
  useReportQuery,
  useCreateReportMutation,
  useUpdateReportMutation,
  useDeleteReportMutation,
  useSendReportMutation,
} = reportsApi;
