import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { licenceTexts } from "./licences.ts";
import { programs } from "./programs.ts";
import { writeProgram } from "./write-program.ts";

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "sonde-foreign-"))));
afterEach(() => rm(folder, { recursive: true }));

async function install(name: string, about: object): Promise<void> {
  const at = join(folder, "foreign/node_modules", name);
  await mkdir(at, { recursive: true });
  await writeFile(join(at, "package.json"), JSON.stringify({ name, version: "2.0.2", ...about }));
}

test("native packages are those of the target processor, and licences those of the image's packages", async () => {
  const foreign = "@node-rs/argon2-linux-arm64-gnu";
  await install("@node-rs/argon2", {
    optionalDependencies: { [foreign]: "2.0.2", "@node-rs/argon2-linux-x64-gnu": "1" },
  });
  await install(foreign, { os: ["linux"], cpu: ["arm64"] });
  const into = join(folder, "auth");
  const auth = programs.get("auth")!;
  const bundled = await writeProgram("auth", auth, into, join(folder, "foreign"));

  expect((await readdir(join(into, "node_modules/@node-rs"))).toSorted()).toEqual(["argon2", "argon2-linux-arm64-gnu"]);
  const licences = licenceTexts(bundled, auth);
  expect(licences).toContain(`${foreign} 2.0.2`);
  expect(licences).toMatch(/^zod \d.*\n=+\n.*MIT License/m);
  expect(licences).not.toContain("react-dom");
  expect(licenceTexts(bundled, programs.get("gateway")!)).toContain("react-dom");
});
