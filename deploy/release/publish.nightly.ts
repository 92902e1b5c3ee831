import { execFileSync, spawnSync } from "node:child_process";
import { appendFile, chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const digest = `sha256:${"a".repeat(64)}`;
const signed = `registry.example.com/sonde/auth@${digest}`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-publish-"));
  for (const name of ["dist", "bin", "deploy/release"]) await mkdir(join(folder, name), { recursive: true });
  await cp(join(import.meta.dirname, "publish.sh"), join(folder, "deploy/release/publish.sh"));
  await writeFile(join(folder, "package.json"), '{ "version": "1.2.3" }');
  await writeFile(join(folder, "dist/sonde-1.2.3.tgz"), "chart");
  await writeFile(join(folder, "dist/sonde-cli-1.2.3.tgz"), "command");
  const sums = execFileSync("sha256sum", ["sonde-1.2.3.tgz"], { cwd: join(folder, "dist") });
  await writeFile(join(folder, "dist/SHA256SUMS"), sums);
  const baked = {
    auth: { "containerimage.digest": digest, "image.name": "registry.example.com/sonde/auth:1.2.3" },
    "buildx.build.warnings": [],
  };
  const programs = {
    // Reads standard input, as real programs may. It must not be the list of images.
    cosign: "cat >/dev/null",
    helm: "",
    git: "echo 0123abc",
    docker: `cat >/dev/null
case $2 in
  bake) echo "$REGISTRY $TAG $REVISION $AGENT_ARCHIVES" >>${folder}/calls; echo '${JSON.stringify(baked)}' >dist/images.json ;;
  imagetools) echo '{"SPDX":{}}' ;;
esac`,
  };
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, "bin", name), `#!/bin/sh\necho ${name} "$@" >>${folder}/calls\n${script}\n`);
    await chmod(join(folder, "bin", name), 0o755);
  }
});
afterEach(() => rm(folder, { recursive: true }));

const publish = (env: NodeJS.ProcessEnv = {}) =>
  spawnSync("sh", [join(folder, "deploy/release/publish.sh"), "registry.example.com"], {
    encoding: "utf8",
    input: "",
    env: { ...process.env, PATH: `${folder}/bin:${process.env["PATH"]}`, ...env },
  });
const calls = () => readFile(join(folder, "calls"), "utf8").then((text) => text.trim().split("\n"));

test("images are pushed and signed by digest, then the chart is pushed and the sums are signed", async () => {
  expect(publish()).toMatchObject({ status: 0, stderr: "" });
  expect(await calls()).toEqual([
    "git rev-parse HEAD",
    "docker buildx bake --file deploy/docker/docker-bake.hcl --push --metadata-file dist/images.json",
    "registry.example.com 1.2.3 0123abc dist/agents",
    `cosign sign --yes ${signed}`,
    `docker buildx imagetools inspect ${signed} --format {{ json .SBOM }}`,
    "helm push dist/sonde-1.2.3.tgz oci://registry.example.com/charts",
    "cosign sign-blob --yes --bundle dist/SHA256SUMS.sigstore.json dist/SHA256SUMS",
  ]);
  expect(await readFile(join(folder, "dist/images.txt"), "utf8")).toBe(`${signed}\n`);
  expect(await readFile(join(folder, "dist/sbom/auth.json"), "utf8")).toBe('{"SPDX":{}}\n');
});

test("COSIGN_KEY selects the signing key", async () => {
  publish({ COSIGN_KEY: "cosign.key" });
  const signatures = (await calls()).filter((line) => line.startsWith("cosign"));
  expect(signatures).toHaveLength(2);
  for (const line of signatures) expect(line).toContain(" --yes --key=cosign.key ");
});

test("a changed or incomplete build is not published", async () => {
  await appendFile(join(folder, "dist/sonde-1.2.3.tgz"), "more");
  expect(publish()).toMatchObject({ status: 1, stdout: expect.stringContaining("sonde-1.2.3.tgz: FAILED") as string });
  await rm(join(folder, "dist/SHA256SUMS"));
  expect(publish()).toMatchObject({ status: 1, stderr: "dist/ is not complete: npm run release\n" });
  await expect(calls()).rejects.toThrow("ENOENT");
});
