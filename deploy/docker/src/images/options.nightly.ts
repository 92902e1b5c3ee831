import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root } from "@sonde/bundle/packages";
import { readOptions } from "./options.ts";

test("without --only every image is wanted, of the version in package.json", () => {
  const { isWanted, isChosen, tag, registry } = readOptions([]);
  expect(isWanted("gateway")).toBe(true);
  expect(tag).toMatch(/^\d+\.\d+\.\d+$/);
  expect({ isChosen, registry }).toEqual({ isChosen: false, registry: "docker.io" });
});

test("images are for this machine's processor, or for those that --arch names", () => {
  expect(readOptions([]).architectures).toEqual([process.arch === "arm64" ? "arm64" : "amd64"]);
  expect(readOptions(["--arch", "arm64,amd64"]).architectures).toEqual(["amd64", "arm64"]);
});

test("with --only those alone are, also stand-ins by their short names", () => {
  const { isWanted } = readOptions(["--only", "gateway,postgres-18-alpine"]);
  expect(["gateway", "auth", "postgres-18-alpine", "postgres-18"].filter(isWanted)).toEqual([
    "gateway",
    "postgres-18-alpine",
  ]);
});

test.each([
  [["--only", "gatway"], /^There is no image gatway; there are [^\n]*\.\n$/],
  [["--push"], /^--push needs --registry, the registry that is yours\.\n$/],
  [["--arch", "amd64,arm65"], /^--arch takes amd64 and arm64, with a comma between them\.\n$/],
  [["--onyl", "gateway"], /^Unknown option '--onyl'[^\n]*\n$/],
])("%j is refused with one line and no stack", async (args, line) => {
  const running = promisify(execFile)(process.execPath, [join(root, "deploy/docker/images.ts"), ...args]);
  await expect(running).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(line) as string });
});
