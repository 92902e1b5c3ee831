import { AppError } from "@sonde/kit/errors";
import type { AgentBuild, AgentDownload, AgentDownloadsAnswer } from "@sonde/proto/http/agents/downloads";
import { type AgentPlatform, agentPlatforms, isArchiveReady, sumsFile } from "@sonde/proto/http/agents/install";
import { installScript, installScriptPath } from "@sonde/proto/http/agents/install-script";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Config, toSpki } from "../config.ts";
import type { Context } from "../context.ts";
import { allowMethods } from "../middleware/errors.ts";

export const downloadsPrefix = "/downloads/";

/** A file name without folders or a leading dot. */
const plainName = /^[A-Za-z0-9][\w.-]{0,99}$/;

export function serveDownloads(folder: string) {
  return async (ctx: Context) => {
    ctx.state.route = "downloads";
    ctx.compress = false;
    if (!allowMethods(ctx, ["GET", "HEAD"])) return;
    const name = ctx.path.slice(downloadsPrefix.length);
    const path = join(folder, name);
    const file = plainName.test(name) ? await lstat(path).catch(() => null) : null;
    if (file === null || !file.isFile()) throw new AppError("not_found", "Nothing exists at this address");
    ctx.status = 200;
    ctx.set("Cache-Control", "no-cache");
    ctx.set("ETag", `"${file.size.toString(36)}-${Math.round(file.mtimeMs).toString(36)}"`);
    if (ctx.fresh) return void (ctx.status = 304);
    ctx.set("Content-Type", name === "SHA256SUMS" ? "text/plain; charset=utf-8" : "application/octet-stream");
    ctx.set("Content-Length", String(file.size));
    if (ctx.method === "GET") ctx.body = createReadStream(path);
  };
}

/** Builds agents on this machine; only `npm start` provides one. */
export type AgentBuilder = {
  /** `null` unless the build is queued, running or failed. */
  state(platform: AgentPlatform): AgentBuild | null;
  /** Builds run one at a time. */
  start(platform: AgentPlatform): void;
  /** Builds for this machine's platform unless its archive exists. */
  begin(): Promise<void>;
};

type DownloadConfig = Pick<Config, "agentDownloadUrl" | "agentDownloadDir" | "agentDownloadKey">;

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

/** P-256, SubjectPublicKeyInfo in base64. `null` for an external URL without a configured key. */
export async function readDownloadKey(config: DownloadConfig): Promise<string | null> {
  if (config.agentDownloadKey !== null) return config.agentDownloadKey;
  if (config.agentDownloadUrl !== null) return null;
  const pem = await readFile(join(config.agentDownloadDir, "signing-key.pub"), "utf8").catch(() => "");
  return pem === "" ? null : toSpki(pem);
}

export async function readInstallScript(config: DownloadConfig): Promise<{ text: string; sha256: string }> {
  const downloadKey = await readDownloadKey(config);
  const text = installScript({ downloadUrl: config.agentDownloadUrl, downloadKey });
  return { text, sha256: createHash("sha256").update(text).digest("hex") };
}

export const isInstallScript = (path: string) => path === installScriptPath;

/** The script contains no secret: the token is part of the command that runs it. */
export function serveInstallScript(config: DownloadConfig) {
  return async (ctx: Context) => {
    ctx.state.route = "install-script";
    if (!allowMethods(ctx, ["GET", "HEAD"])) return;
    const { text, sha256 } = await readInstallScript(config);
    ctx.set("Cache-Control", "no-cache");
    ctx.set("ETag", `"${sha256}"`);
    ctx.status = 200;
    if (ctx.fresh) return void (ctx.status = 304);
    ctx.type = "text/plain; charset=utf-8";
    ctx.body = text;
  };
}
