import type { AgentBuild, AgentDownload, AgentDownloadsAnswer } from "@sonde/proto/http/agents/downloads";
import { type AgentPlatform, agentPlatforms, isArchiveReady, sumsFile } from "@sonde/proto/http/agents/install";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { toSpki } from "./download-key.ts";

/** Builds agents on this machine; only `npm start` has one. */
export type AgentBuilder = {
  /** How far a platform's build is; null where none is under way and none failed. */
  state(platform: AgentPlatform): AgentBuild | null;
  /** Builds it, one platform at a time, unless its build waits or runs already. */
  start(platform: AgentPlatform): void;
  /** Builds that of this machine's own platform, unless it is there. */
  begin(): Promise<void>;
};

type DownloadConfig = Pick<Config, "agentDownloadUrl" | "agentDownloadDir" | "agentDownloadKey">;

/** What can be downloaded of each platform, and how far its build is. */
export async function readDownloads(
  config: DownloadConfig,
  builder: AgentBuilder | null,
): Promise<Omit<AgentDownloadsAnswer, "success" | "message">> {
  if (config.agentDownloadUrl !== null) return { source: "elsewhere", canBuild: false, downloads: [] };
  const folder = config.agentDownloadDir;
  const sums = await readFile(join(folder, sumsFile), "utf8").catch(() => "");
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const downloads = agentPlatforms.map((platform): AgentDownload => {
    const build = builder?.state(platform) ?? null;
    if (build !== null) return { platform, ...build };
    return { platform, status: isArchiveReady(platform, sums, files) ? "ready" : "absent" };
  });
  return { source: "here", canBuild: builder !== null, downloads };
}

/**
 * The key that verifies the archives' checksums (P-256, SubjectPublicKeyInfo in base64): as configured, else the one
 * beside the gateway's own archives. Null if there is none: the key of a custom folder must be configured.
 */
export async function readDownloadKey(config: DownloadConfig): Promise<string | null> {
  if (config.agentDownloadKey !== null) return config.agentDownloadKey;
  if (config.agentDownloadUrl !== null) return null;
  const pem = await readFile(join(config.agentDownloadDir, "signing-key.pub"), "utf8").catch(() => "");
  return pem === "" ? null : toSpki(pem);
}
