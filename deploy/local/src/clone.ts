import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";

export const cloneDir = resolve(import.meta.dirname, "../../..");

/**
 * Returns the folder of the newest build of a part, or undefined if it was never built. Later builds go to folders of
 * their own, so this one does not change.
 */
export function builtFolder(part: "web" | "docs", clone = cloneDir): string | undefined {
  try {
    return realpathSync(join(clone, "deploy/local/dist", part, "current"));
  } catch {
    return undefined;
  }
}
