import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { missingImage } from "../cluster/images.ts";
import { command } from "../cluster/command.ts";
import type { Namespace } from "../cluster/namespace.ts";

export const release = "sonde";
/** Prefix of resource names. The release's name contains the chart's, so it is not repeated. */
export const fullname = "sonde";

const root = resolve(import.meta.dirname, "../../..");
const [installTimeout, installTimeoutMs] = ["360s", 400_000];

/** Clones the committed state of the repository. Returns the folder and the chart in it. */
export async function cloneChart(): Promise<{ folder: string; chart: string }> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-clone-"));
  await command("git", ["clone", "--quiet", "--no-hardlinks", "--depth=1", `file://${root}`, folder]);
  return { folder, chart: join(folder, "charts/sonde") };
}

/** Runs `helm install` or `helm upgrade` and waits for all resources. @throws Error with Helm's message */
export async function installChart(
  namespace: Namespace,
  verb: "install" | "upgrade",
  chart: string,
  values: object,
): Promise<string> {
  const args = [verb, release, chart, "-f", "-", "--wait", "--timeout", installTimeout];
  const over = new AbortController();
  try {
    const { signal } = over;
    const done = namespace.helm(args, { input: JSON.stringify(values), timeoutMs: installTimeoutMs, signal });
    return await Promise.race([done, missingImage(namespace, signal)]);
  } finally {
    over.abort();
  }
}

/** Merges values as Helm does: maps recursively, everything else replaced by `over`. */
export function overlay(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isMap(below) && isMap(value) ? overlay(below, value) : value;
  }
  return merged;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
