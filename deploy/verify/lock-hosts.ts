import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./steps.ts";

type Lock = { packages?: Record<string, { resolved?: string }> };

/** Reports packages that the lock file binds to a host, instead of the user's registry. */
export async function findHosts(): Promise<string> {
  return hostsIn(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as Lock).join("\n");
}

export function hostsIn(lock: Lock): string[] {
  return Object.entries(lock.packages ?? {})
    .filter(([, { resolved }]) => /^[a-z+]+:\/\//.test(resolved ?? ""))
    .map(([name]) => `package-lock.json: ${name} has a "resolved" address`);
}
