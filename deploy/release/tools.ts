import { StartupError } from "@sonde/kit/embedded/startup-error";
import { findProgram } from "../verify/chart/tools.ts";

const needed = ["git", "buildah", "npm", "tar", "gzip", "helm"];

/** @throws StartupError that names every program that a release needs and this machine lacks */
export async function checkTools(): Promise<void> {
  const found = await Promise.all(needed.map(findProgram));
  const missing = needed.filter((_, at) => found[at] === null);
  if (missing.length === 0) return;
  const hint = missing.includes("helm") ? " Where Go is installed, npm run verify -- --fetch-helm builds helm." : "";
  throw new StartupError(`A release needs ${needed.join(", ")}. Not on the PATH: ${missing.join(", ")}.${hint}`);
}
