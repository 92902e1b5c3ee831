import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { npmComponents } from "./contents/write.ts";
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

test("machine code is that of the processor whose packages are named, and so is the list of contents", async () => {
  const foreign = "@node-rs/argon2-linux-arm64-gnu";
  await install("@node-rs/argon2", {
    optionalDependencies: { [foreign]: "2.0.2", "@node-rs/argon2-linux-x64-gnu": "1" },
  });
  await install(foreign, { os: ["linux"], cpu: ["arm64"] });
  const into = join(folder, "auth");
  const bundled = await writeProgram("auth", programs.get("auth")!, into, join(folder, "foreign"));

  expect((await readdir(join(into, "node_modules/@node-rs"))).toSorted()).toEqual(["argon2", "argon2-linux-arm64-gnu"]);
  const components = npmComponents(bundled).filter(({ name }) => name.startsWith("@node-rs/"));
  expect(components.map(({ name, sha512 }) => [name, sha512?.length])).toEqual([
    [foreign, 128],
    ["@node-rs/argon2", 128],
  ]);
});
