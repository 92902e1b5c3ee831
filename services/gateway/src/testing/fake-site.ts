import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll } from "vitest";
import { loadSite, type Site } from "../site/site.ts";

const scriptText = "console.log('sonde');\n".repeat(500);

/** Next to a file that must never be served. Call at top level: it is removed after the file's tests. */
export async function fakeSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-site-"));
  afterAll(() => rm(folder, { recursive: true }));
  const dist = join(folder, "dist");
  await mkdir(join(dist, "assets"), { recursive: true });
  await writeFile(join(folder, "secret.json"), '{"secret":"canary"}');
  await writeFile(join(dist, "index.html"), "<!doctype html><title>Sonde</title>");
  await writeFile(join(dist, "favicon.svg"), "<svg/>");
  await writeFile(join(dist, "push-worker.js"), "self.addEventListener('push', show)");
  await writeFile(join(dist, "notes.bak"), "canary");
  await mkdir(join(dist, "downloads"));
  await writeFile(join(dist, "downloads/sonde.mjs"), "#!/usr/bin/env node\n");
  const script = join(dist, "assets", "app-0a1b2c3d.js");
  await writeFile(script, scriptText);
  await writeFile(`${script}.br`, brotliCompressSync(scriptText));
  await writeFile(`${script}.gz`, gzipSync(scriptText));
  return loadSite(dist);
}
