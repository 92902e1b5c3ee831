import type { agentDownloadsAnswer } from "@sonde/proto/http/agents/downloads";
import type { AgentPlatform } from "@sonde/proto/http/agents/install";
import { useState } from "react";
import { type AnswerOf, api } from "../../../app/api.ts";

type Downloads = AnswerOf<typeof agentDownloadsAnswer>;

const downloadsApi = api.injectEndpoints({
  endpoints: (build) => ({
    agentDownloads: build.query<Downloads, void>({ query: () => "/agents/downloads" }),
    buildAgent: build.mutation<Downloads, AgentPlatform>({
      query: (platform) => ({ url: "/agents/downloads", method: "POST", body: { platform } }),
      async onQueryStarted(_platform, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => null);
        if (answer !== null) void dispatch(downloadsApi.util.upsertQueryData("agentDownloads", undefined, answer.data));
      },
    }),
  }),
});

const { useAgentDownloadsQuery } = downloadsApi;
export const { useBuildAgentMutation } = downloadsApi;

const askEveryMs = 1000;
const underWay = new Set(["waiting", "building"]);

/** Which agents can be downloaded, asked for again as long as one is being built. `failed`: that cannot be known. */
export function useDownloads(): { data: Downloads | undefined; failed: boolean } {
  const [isBusy, setIsBusy] = useState(false);
  const { data, isError } = useAgentDownloadsQuery(undefined, {
    pollingInterval: isBusy ? askEveryMs : 0,
    refetchOnMountOrArgChange: true,
  });
  const busyNow = data?.downloads.some(({ status }) => underWay.has(status)) ?? false;
  if (busyNow !== isBusy) setIsBusy(busyNow);
  return { data, failed: isError && data === undefined };
}
