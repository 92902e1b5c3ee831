import type { ConfigAnswer } from "@sonde/proto/http/config";
import { api } from "./api.ts";

const configApi = api.injectEndpoints({
  endpoints: (build) => ({
    config: build.query<ConfigAnswer, void>({ query: () => "/config", providesTags: ["Config"] }),
  }),
});

/** What the server lets the app know before login: registration, footer links, version. */
export const { useConfigQuery } = configApi;
