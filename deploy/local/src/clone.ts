import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";

export const cloneDir = resolve(import.meta.dirname, "../../..");

/** Returns the folder of a part's newest build, or undefined. Each build has its own folder, which never changes. */
export function builtFolder(part: "web" | "docs", clone = cloneDir): string | undefined {
  try {
    return realpathSync(join(clone, "deploy/local/dist", part, "current"));
  } catch {
    return undefined;
  }
}
