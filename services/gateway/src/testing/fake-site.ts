import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSite, type Site } from "../site/site.ts";

/** A small built web app, beside a file that must never be served. */
export async function fakeSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-site-"));
  const dist = join(folder, "dist");
  await mkdir(join(dist, "assets"), { recursive: true });
  await writeFile(join(folder, "secret.json"), '{"secret":"canary"}');
  await writeFile(join(dist, "index.html"), "<!doctype html><title>Sonde</title>");
  await writeFile(join(dist, "favicon.svg"), "<svg/>");
  await writeFile(join(dist, "notes.bak"), "canary");
  await writeFile(join(dist, "assets", "app-0a1b2c3d.js"), "console.log('sonde');\n".repeat(500));
  const site = await loadSite(dist);
  await rm(folder, { recursive: true });
  return site;
}
