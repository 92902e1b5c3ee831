import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-images-"));
  await writeFile(join(folder, "docker"), `#!/bin/sh\necho "$REGISTRY $TAG: $*" >>${folder}/calls\n`);
  await chmod(join(folder, "docker"), 0o755);
});
afterEach(() => rm(folder, { recursive: true }));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, "images.ts"), ...args], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` },
  });
const lastCall = async () => (await readFile(join(folder, "calls"), "utf8")).trim().split("\n").at(-1);

const bake = "buildx bake --file=deploy/docker/docker-bake.hcl";
const simple = "--set=*.platform=linux/arm64 --sbom=false --provenance=false";
test.each([
  [["--only", "auth,gateway", "--arch", "arm64"], `docker.io 1.2.3: ${bake} ${simple} --load auth gateway`],
  [
    ["--only", "auth", "--arch", "arm64", "--into", "/tmp"],
    `docker.io 1.2.3: ${bake} ${simple} --set=auth.output=type=docker,dest=/tmp/sonde-auth.tar auth`,
  ],
  [
    ["--only", "auth", "--arch", "amd64,arm64", "--push", "--registry", "registry.example.com"],
    `registry.example.com 1.2.3: ${bake} --push auth`,
  ],
  [["--only", "auth,metrics-embedded", "--arch", "arm64"], `docker.io 1.2.3: ${bake} ${simple} --load auth`],
])("%j bakes with Docker", async (args, call) => {
  expect(run("--tag", "1.2.3", ...args)).toMatchObject({ status: 0, stderr: "" });
  expect(await lastCall()).toBe(call);
});

test.each([
  [["--only", "gatway"], /^There is no image gatway; there are [^\n]*\.\n$/],
  [["--push"], /^--push needs --registry, the registry that is yours\.\n$/],
  [["--arch", "amd64,arm65"], /^--arch takes amd64 and arm64\.\n$/],
  [["--arch", "amd64,arm64"], /^Two processors need --push and Docker\.\n$/],
  [["--builder", "podman"], /^There is no builder podman; there are docker and buildah\.\n$/],
  [["--only", "postgres-18"], /^Stand-ins of official images need --builder buildah\.\n$/],
  [["--onyl", "gateway"], /^Unknown option '--onyl'[^\n]*\n$/],
])("%j is rejected with one line and no stack", (args, line) => {
  expect(run(...args)).toMatchObject({ status: 1, stderr: expect.stringMatching(line) as string });
});
