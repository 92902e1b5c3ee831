import { afterEach, expect, test, vi } from "vitest";
import { checkTools } from "./tools.ts";

afterEach(() => void vi.unstubAllEnvs());

test("every missing program is named at once", async () => {
  vi.stubEnv("PATH", "/nowhere");
  vi.stubEnv("SONDE_HELM", process.execPath);
  await expect(checkTools()).rejects.toThrow("Not on the PATH: git, buildah, npm, tar, gzip.");
});

test("nothing is refused if all are there", async () => {
  for (const name of ["GIT", "BUILDAH", "NPM", "TAR", "GZIP", "HELM"]) vi.stubEnv(`SONDE_${name}`, process.execPath);
  await expect(checkTools()).resolves.toBeUndefined();
});
