import { execFileSync, spawnSync } from "node:child_process";
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = join(import.meta.dirname, "publish.sh");
const [index, image] = ["a", "b"].map((digit) => `sha256:${digit.repeat(64)}`);

let folder: string;
/** What was built, and programs that write down how they were called. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-publish-"));
  await mkdir(join(folder, "dist"));
  await mkdir(join(folder, "bin"));
  await writeFile(
    join(folder, "dist/images.txt"),
    `sonde/auth:1.2.3 index ${index}\nsonde/auth:1.2.3 linux/arm64 ${image}\n`,
  );
  await writeFile(join(folder, "dist/sonde-1.2.3.tgz"), "chart");
  await writeFile(join(folder, "dist/sonde-cli-1.2.3.tgz"), "command");
  const sums = execFileSync("sha256sum", ["images.txt", "sonde-1.2.3.tgz"], { cwd: join(folder, "dist") });
  await writeFile(join(folder, "dist/SHA256SUMS"), sums);
  for (const name of ["skopeo", "cosign", "helm"]) {
    // They read their input, as such programs may: the list of images must not be it.
    await writeFile(join(folder, "bin", name), `#!/bin/sh\ncat >/dev/null\necho ${name} "$@" >>${folder}/calls\n`);
    await chmod(join(folder, "bin", name), 0o755);
  }
});
afterEach(() => rm(folder, { recursive: true }));

const publish = (env: NodeJS.ProcessEnv = {}) =>
  spawnSync("sh", [script, "registry.example.com"], {
    encoding: "utf8",
    input: "",
    env: { ...process.env, DIST: join(folder, "dist"), PATH: `${folder}/bin:${process.env["PATH"]}`, ...env },
  });
const calls = () => readFile(join(folder, "calls"), "utf8").then((text) => text.trim().split("\n"));

test("each index is pushed and signed by its digest, each image's contents are attested, then the chart and the sums", async () => {
  expect(publish()).toMatchObject({ status: 0, stderr: "" });
  const sbom = `sbom/sha256-${"b".repeat(64)}.cdx.json`;
  expect(await calls()).toEqual([
    "skopeo copy --quiet --all --preserve-digests oci:images:sonde/auth:1.2.3 docker://registry.example.com/sonde/auth:1.2.3",
    `cosign sign --yes registry.example.com/sonde/auth@${index}`,
    `cosign attest --yes --type cyclonedx --predicate ${sbom} registry.example.com/sonde/auth@${image}`,
    "helm push sonde-1.2.3.tgz oci://registry.example.com/charts",
    "cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS",
  ]);
});

test("a key of cosign signs where one is named", async () => {
  publish({ COSIGN_KEY: "cosign.key" });
  expect((await calls()).filter((line) => line.startsWith("cosign"))).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining(" --yes --key=cosign.key ") as string),
  );
});

test("what was changed after it was built is not published, nor what was not built whole", async () => {
  await appendFile(join(folder, "dist/sonde-1.2.3.tgz"), "more");
  expect(publish()).toMatchObject({ status: 1, stdout: expect.stringContaining("sonde-1.2.3.tgz: FAILED") as string });
  await rm(join(folder, "dist/SHA256SUMS"));
  expect(publish()).toMatchObject({ status: 1, stderr: "dist/ is not whole: npm run release\n" });
  await expect(calls()).rejects.toThrow("ENOENT");
});
