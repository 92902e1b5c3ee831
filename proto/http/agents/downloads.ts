import * as z from "zod";
import { agentPlatforms } from "./install.ts";
import { success } from "../envelope.ts";

/** What a build does, in this order. */
const agentBuildSteps = ["fetch", "assemble", "compress"] as const;
/** Why a build failed: npm's registry did not give Node, no space, too little memory, a program is missing, or a fault of ours. */
const agentBuildFaults = ["registry", "disk", "memory", "tool", "fault"] as const;

/** A build that is not done. `percent`: of the whole build. `tool`: the program that is missing. */
export const agentBuild = z.discriminatedUnion("status", [
  z.object({ status: z.literal("waiting") }),
  z.object({ status: z.literal("building"), step: z.enum(agentBuildSteps), percent: z.int().min(0).max(100) }),
  z.object({ status: z.literal("failed"), reason: z.enum(agentBuildFaults), tool: z.string().optional() }),
]);
export type AgentBuild = z.infer<typeof agentBuild>;

/**
 * The download of each platform. `source`: `elsewhere` where AGENT_DOWNLOAD_URL names another server, of which nothing
 * is known here. `canBuild`: POST of a platform that is `absent` or `failed` starts its build.
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
