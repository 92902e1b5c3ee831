import * as z from "zod";
import { agentPlatforms } from "./install.ts";
import { success } from "../envelope.ts";

/** Steps of a build, in order. */
const agentBuildSteps = ["fetch", "assemble", "compress"] as const;
/** Why a build failed: no Node from npm's registry, disk full, too little memory, a missing program, or a bug. */
const agentBuildFaults = ["registry", "disk", "memory", "tool", "fault"] as const;

/** An unfinished build. `percent` of the whole build; `tool`: the missing program. */
export const agentBuild = z.discriminatedUnion("status", [
  z.object({ status: z.literal("waiting") }),
  z.object({ status: z.literal("building"), step: z.enum(agentBuildSteps), percent: z.int().min(0).max(100) }),
  z.object({ status: z.literal("failed"), reason: z.enum(agentBuildFaults), tool: z.string().optional() }),
]);
export type AgentBuild = z.infer<typeof agentBuild>;

/**
 * Downloads by platform. `source` is `elsewhere` if AGENT_DOWNLOAD_URL is set, in which case nothing is known about
 * them. `canBuild`: POST starts the build of a platform that is `absent` or `failed`.
 */
export const agentDownloadsAnswer = success({
  source: z.enum(["here", "elsewhere"]),
  canBuild: z.boolean(),
  downloads: z.array(
    z.object({
      platform: z.enum(agentPlatforms),
      status: z.enum(["ready", "absent", "waiting", "building", "failed"]),
      step: z.enum(agentBuildSteps).optional(),
      percent: z.int().min(0).max(100).optional(),
      reason: z.enum(agentBuildFaults).optional(),
      tool: z.string().optional(),
    }),
  ),
});
export type AgentDownloadsAnswer = z.infer<typeof agentDownloadsAnswer>;
export type AgentDownload = AgentDownloadsAnswer["downloads"][number];

export const buildAgentInput = z.strictObject({ platform: z.enum(agentPlatforms) });
