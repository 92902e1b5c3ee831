import type { acknowledgeByLinkInput, acknowledgeLinkAnswer, incidentAnswer } from "@sonde/proto/http/incidents";
import type { z } from "zod";
import type { Answer } from "../../app/answer.ts";
import { api } from "../../app/api.ts";

export type LinkedIncident = Answer<typeof acknowledgeLinkAnswer>;

const linkApi = api.injectEndpoints({
  endpoints: (build) => ({
    acknowledgeLink: build.query<LinkedIncident, string>({
      query: (token) => ({ url: "/incidents/acknowledge-link", params: { token } }),
      // What a link stands for changes: nothing old is shown.
      keepUnusedDataFor: 0,
    }),
    acknowledgeByLink: build.mutation<Partial<Answer<typeof incidentAnswer>>, z.input<typeof acknowledgeByLinkInput>>({
      query: (body) => ({ url: "/incidents/acknowledge-link", method: "POST", body }),
    }),
  }),
});

export const { useAcknowledgeLinkQuery, useAcknowledgeByLinkMutation } = linkApi;
