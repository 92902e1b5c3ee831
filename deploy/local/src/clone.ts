import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";

export const cloneDir = resolve(import.meta.dirname, "../../..");

/**
 * The newest build of a part, as `prepare.mjs` leaves it; undefined if there is none. A later build has another folder and
 * leaves this one as it is.
 */
export function builtFolder(part: "web" | "docs", clone = cloneDir): string | undefined {
  try {
    return realpathSync(join(clone, "deploy/local/dist", part, "current"));
  } catch {
    return undefined;
  }
}
