import { AppError } from "@sonde/kit/errors";
import { agentDownloadsAnswer, buildAgentInput } from "@sonde/proto/http/agents/downloads";
import { readDownloads } from "../agent-path/agent-downloads.ts";
import { route } from "../route.ts";

const noBuilder =
  "This server builds no agents; put their archives into the folder that AGENT_DOWNLOAD_DIR names" as const;

export const agentDownloadRoutes = [
  route({
    method: "GET",
    path: "/api/agents/downloads",
    who: "session",
    summary: "Which platforms' agents can be downloaded, and how far the builds of others are",
    answer: agentDownloadsAnswer,
    handle: ({ config, agentBuilder }) => readDownloads(config, agentBuilder),
  }),
  route({
    method: "POST",
    path: "/api/agents/downloads",
    who: "write",
    summary: "Build a platform's agent, where this server builds them and it is not there",
    body: buildAgentInput,
    refusals: ["impossible"],
    answer: agentDownloadsAnswer,
    handle: async ({ config, agentBuilder, body: { platform } }) => {
      const { downloads } = await readDownloads(config, agentBuilder);
      const status = downloads.find((download) => download.platform === platform)?.status;
      if (status === "absent" || status === "failed") {
        if (agentBuilder === null) throw new AppError("impossible", noBuilder);
        agentBuilder.start(platform);
      }
      return readDownloads(config, agentBuilder);
    },
  }),
];
