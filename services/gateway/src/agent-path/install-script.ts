import { AppError } from "@sonde/kit/errors";
import { installScript, installScriptPath } from "@sonde/proto/http/agents/install-script";
import { createHash } from "node:crypto";
import type { Context } from "../context.ts";
import { readDownloadKey } from "./agent-downloads.ts";

type ScriptConfig = Parameters<typeof readDownloadKey>[0];

/** The script that the guide's one line runs, and its SHA-256 in hex. */
export async function readInstallScript(config: ScriptConfig): Promise<{ text: string; sha256: string }> {
  const downloadKey = await readDownloadKey(config);
  const text = installScript({ downloadUrl: config.agentDownloadUrl, downloadKey });
  return { text, sha256: createHash("sha256").update(text).digest("hex") };
}

export const isInstallScript = (path: string) => path === installScriptPath;

/** Serves the script. It holds no secret: the token comes from the line that runs it. */
export function serveInstallScript(config: ScriptConfig) {
  return async (ctx: Context) => {
    ctx.state.route = "install-script";
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.set("Allow", "GET, HEAD, OPTIONS");
      if (ctx.method === "OPTIONS") return void (ctx.status = 204);
      throw new AppError("method_not_allowed", "This method is not allowed here");
    }
    const { text, sha256 } = await readInstallScript(config);
    ctx.set("Cache-Control", "no-cache");
    ctx.set("ETag", `"${sha256}"`);
    ctx.status = 200;
    if (ctx.fresh) return void (ctx.status = 304);
    ctx.type = "text/plain; charset=utf-8";
    ctx.body = text;
  };
}
