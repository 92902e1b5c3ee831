import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toSbom } from "../docker/src/contents/write.ts";
import { takeArchives, writeDigests } from "./dist.ts";

let dist: string;
beforeEach(async () => {
  dist = await mkdtemp(join(tmpdir(), "sonde-layout-"));
  await mkdir(join(dist, "images/blobs/sha256"), { recursive: true });
});
afterEach(() => rm(dist, { recursive: true }));

async function addBlob(content: Uint8Array | object): Promise<string> {
  const bytes = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
  const sum = createHash("sha256").update(bytes).digest("hex");
  await writeFile(join(dist, "images/blobs/sha256", sum), bytes);
  return `sha256:${sum}`;
}

/** A layer of files, by path. */
async function addLayer(files: Record<string, string>): Promise<string> {
  const folder = join(dist, "layer");
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const layer = execFileSync("tar", ["-czf", "-", "-C", folder, ...(await readdir(folder))]);
  await rm(folder, { recursive: true });
  return addBlob(layer);
}

/** The image `agents` of one processor. */
async function addImage(architecture: string) {
  const base = await addLayer({
    "var/lib/dpkg/status": `Package: libc6\nStatus: install ok installed\nArchitecture: ${architecture}\nVersion: 2\n`,
  });
  const own = await addLayer({ "app/sbom.cdx.json": toSbom({ name: "agents", version: "1.2.3" }, []) });
  const extra = await addLayer({
    "app/archives/SHA256SUMS": "sums",
    "app/archives/sonde-agent-linux-x64.tar.xz": "agent",
  });
  const digest = await addBlob({ layers: [base, own, extra].map((layer) => ({ digest: layer })) });
  return { digest, platform: { os: "linux", architecture } };
}

test("digests, lists of contents and the agents' archives are taken out of the images as they will be pushed", async () => {
  const manifests = [await addImage("amd64"), await addImage("arm64")];
  const index = await addBlob({ manifests });
  const annotations = { "org.opencontainers.image.ref.name": "sonde/agents:1.2.3" };
  await writeFile(join(dist, "images/index.json"), JSON.stringify({ manifests: [{ digest: index, annotations }] }));

  await writeDigests({ dist });
  const [amd64, arm64] = manifests.map(({ digest }) => digest);
  expect(await readFile(join(dist, "images.txt"), "utf8")).toBe(
    `sonde/agents:1.2.3 index ${index}\nsonde/agents:1.2.3 linux/amd64 ${amd64}\nsonde/agents:1.2.3 linux/arm64 ${arm64}\n`,
  );
  const sbom = await readFile(join(dist, "sbom", `${arm64?.replace(":", "-")}.cdx.json`), "utf8");
  expect(JSON.parse(sbom)).toMatchObject({ components: [{ purl: "pkg:deb/debian/libc6@2?arch=arm64" }] });

  await takeArchives({ dist });
  expect((await readdir(join(dist, "agents"))).toSorted()).toEqual(["SHA256SUMS", "sonde-agent-linux-x64.tar.xz"]);
  expect(await readFile(join(dist, "agents/sonde-agent-linux-x64.tar.xz"), "utf8")).toBe("agent");
});
