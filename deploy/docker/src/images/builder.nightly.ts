import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openBuilder } from "./builder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-builder-"));
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** Takes the place of docker: knows its own flags, and the images that an engine can pull or has. */
async function fakeDocker({ pulls = "", has = "" }): Promise<void> {
  const script = `#!/bin/sh
case "$1 $2" in
  "pull --quiet") [ $# -eq 3 ] && [ "$3" = "${pulls}" ] ;;
  "push --quiet") [ $# -eq 3 ] && echo "$3" > "${folder}/pushed" ;;
  "image inspect") [ "$3" = "${has}" ] ;;
  *) exit 125 ;;
esac
`;
  await writeFile(join(folder, "docker"), script);
  await chmod(join(folder, "docker"), 0o755);
}

test("an official image is pulled with the flags that docker has", async () => {
  await fakeDocker({ pulls: "postgres:18" });
  const builder = await openBuilder("docker", undefined);
  expect(await builder.pull("postgres:18")).toBe(true);
  expect(await builder.pull("nats:2.12-alpine")).toBe(false);
});

test("an image that a Docker engine has is used where its registry is away", async () => {
  await fakeDocker({ has: "postgres:18" });
  const builder = await openBuilder("docker", undefined);
  expect(await builder.pull("postgres:18")).toBe(true);
});

test("an image is pushed by its tag", async () => {
  await fakeDocker({});
  const builder = await openBuilder("docker", undefined);
  await builder.push("registry.example.com/sonde/auth:1");
  expect(await readFile(join(folder, "pushed"), "utf8")).toBe("registry.example.com/sonde/auth:1\n");
});

test("a builder that nobody knows is refused with those that there are", async () => {
  await expect(openBuilder("podman", undefined)).rejects.toThrow(
    "There is no builder podman; there are docker and buildah.",
  );
});
