import type { Site } from "../site/site.ts";
import { z } from "zod";

const entry = "src/status-page/main.ts";
const manifest = z.record(z.string(), z.object({ file: z.string(), css: z.array(z.string()).optional() }));

/** URL paths of the built script and style sheet of the public page; null where the web app was not built with them. */
export function statusAssets(site: Site): { script: string | null; style: string | null } {
  const file = site.get("/.vite/manifest.json");
  if (file === undefined) return { script: null, style: null };
  const { data } = manifest.safeParse(JSON.parse(file.bytes.toString()));
  const { file: script, css = [] } = data?.[entry] ?? {};
  return { script: pathOf(site, script), style: pathOf(site, css[0]) };
}

const pathOf = (site: Site, file: string | undefined): string | null =>
  file !== undefined && site.has(`/${file}`) ? `/${file}` : null;
