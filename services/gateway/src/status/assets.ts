import { z } from "zod";
import type { Site } from "../site/site.ts";

const manifestPath = "/.vite/manifest.json";
const entry = "src/status-page/main.ts";
const manifest = z.record(z.string(), z.object({ file: z.string(), css: z.array(z.string()).optional() }));

/** URL paths of the built script and style sheet of the public page; null where they were not built. */
export function statusAssets(site: Site): { script: string | null; style: string | null } {
  const { file: script, css: [style] = [] } = readManifest(site)?.[entry] ?? {};
  return { script: pathOf(site, script), style: pathOf(site, style) };
}

function readManifest(site: Site): z.output<typeof manifest> | undefined {
  try {
    return manifest.safeParse(JSON.parse(site.get(manifestPath)?.bytes.toString() ?? "{}")).data;
  } catch {
    return undefined; // A build that broke off: the page is readable without.
  }
}

const pathOf = (site: Site, file: string | undefined): string | null =>
  file !== undefined && site.has(`/${file}`) ? `/${file}` : null;
