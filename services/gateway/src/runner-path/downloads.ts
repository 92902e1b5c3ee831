import { runnerFilePath, runnerScript } from "@sonde/proto/http/monitors/runner-install";
import { hash } from "node:crypto";
import type { Context } from "../context.ts";
import { allowMethods } from "../middleware/errors.ts";
import { sendable, sendBytes } from "../site/bytes.ts";
import type { Site } from "../site/site.ts";

/** The web app's build contains the runner. Without it the script refuses every download. */
export function readRunnerScript(site: Site): Promise<Script> {
  const known = scripts.get(site) ?? render(site);
  scripts.set(site, known);
  return known;
}

type Script = { text: string; sha256: string };
/** Files of the site do not change while the gateway runs. */
const scripts = new WeakMap<Site, Promise<Script>>();

async function render(site: Site): Promise<Script> {
  const file = await site.get(runnerFilePath)?.open();
  const bytes = (await file?.read()) ?? "";
  const text = runnerScript(hash("sha256", bytes, "hex"));
  return { text, sha256: hash("sha256", text, "hex") };
}

export const serveRunnerScript = (site: Site) => async (ctx: Context) => {
  ctx.state.route = "runner-script";
  if (!allowMethods(ctx, ["GET", "HEAD"])) return;
  const { text } = await readRunnerScript(site);
  ctx.set("Cache-Control", "no-cache");
  await sendBytes(ctx, sendable("text/plain; charset=utf-8", text));
};
