import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { fenceOverrides } from "./fences.ts";
import { root } from "./steps.ts";

const cases: Record<string, { refused: string[]; allowed: string[] }> = {
  "proto/http/x.ts": { refused: ["@sonde/kit/errors", "@sonde/proto/http/y", "../../web/src/x.ts"], allowed: ["zod"] },
  "agent/src/x.ts": { refused: ["@sonde/kit/errors", "@sonde/proto2/x"], allowed: ["@sonde/proto/http/y"] },
  "cli/src/x.ts": { refused: ["@sonde/kit/errors", "@sonde/proto/subjects", "../../web/src/x.ts"], allowed: [] },
  "services/kit/src/bus/x.ts": { refused: ["@sonde/auth/config", "../../../auth/src/x.ts"], allowed: ["@nats-io/x"] },
  "services/notifier/src/main.ts": {
    refused: ["@sonde/auth", "@sonde/auth/config", "@sonde/embedded/nats", "../../auth/src/config.ts"],
    allowed: ["@sonde/kit/bus/rpc", "@sonde/proto/rpc/auth", "@nats-io/x", "knex"],
  },
  "services/status-page/src/pages/x.ts": {
    refused: [
      "@sonde/monitors",
      "koa",
      "@koa/router",
      "@nats-io/x",
      "knex",
      "pg",
      "../../../monitors/migrations/index.ts",
    ],
    allowed: ["@sonde/kit/errors", "../migrations/x.ts"],
  },
  "services/auth/src/users/store.ts": { refused: ["@sonde/notifier/channels", "@nats-io/x"], allowed: ["knex"] },
  "services/discovery/src/x.ts": {
    refused: ["@sonde/monitors/config", "@sonde/import/config/read"],
    allowed: ["@sonde/kit/cache"],
  },
  "services/gateway/src/apply/x.ts": {
    refused: ["@sonde/auth/config", "@sonde/kit/postgres/outbox", "@sonde/cli/build", "knex", "@clickhouse/client"],
    allowed: ["@sonde/kit/bus/rpc", "@sonde/import/config/read", "koa"],
  },
  "services/auth/src/x.test.ts": { refused: ["@sonde/local/data"], allowed: ["@sonde/embedded/nats"] },
  "web/build/x.ts": { refused: ["@sonde/cli/apply"], allowed: ["@sonde/cli/build"] },
  "web/src/main.tsx": { refused: ["@sonde/kit/errors", "@sonde/proto/subjects", "@sonde/cli/build"], allowed: [] },
  "web/src/lib/x.ts": { refused: ["../ui/x.ts", "../app/x.ts"], allowed: ["@sonde/proto/http/y", "../locales/x.ts"] },
  "web/src/ui/x.ts": { refused: ["../charts/x.ts", "@sonde/notifier/channels"], allowed: ["../lib/x.ts"] },
  "web/src/charts/x.ts": { refused: ["../app/x.ts"], allowed: ["../ui/x.ts"] },
  "web/src/app/layout/x.ts": { refused: ["../../features/x/y.ts", "../../lists/x.ts"], allowed: ["../../ui/x.ts"] },
  "web/src/app/routes.tsx": { refused: ["../charts/x.ts", "../lists/x.ts"], allowed: ["../features/x/y.tsx"] },
  "web/src/lists/x.ts": { refused: ["../features/x/y.ts", "../charts/x.ts"], allowed: ["../app/x.ts"] },
  "web/src/features/audit/x.ts": { refused: ["../users/x.ts"], allowed: ["../../app/x.ts", "./y.ts"] },
  "web/src/features/audit/y/x.ts": { refused: ["../../users/x.ts"], allowed: ["../x.ts", "../../../lists/x.ts"] },
  "deploy/backup/src/x.ts": {
    refused: ["@sonde/local/data", "@sonde/notifier/config"],
    allowed: ["@sonde/metrics/backup/serve"],
  },
  "deploy/setup/src/x.ts": { refused: ["@sonde/auth/config", "../../local/src/x.ts"], allowed: ["@sonde/kit/errors"] },
  "deploy/local/src/x.ts": {
    refused: ["@sonde/e2e/x", "@sonde/agent/spool"],
    allowed: ["@sonde/auth", "@sonde/backup/archive"],
  },
  "bench/probe/x.ts": { refused: ["@sonde/e2e/x", "../../e2e/x.ts"], allowed: ["@sonde/testing/product"] },
  "testing/x.ts": { refused: ["../bench/x.ts", "@sonde/e2e/x"], allowed: ["@sonde/kit/errors", "@sonde/agent/run"] },
};

let rejected: string[];
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "sonde-fences-"));
  const config = { categories: { correctness: "off" }, overrides: fenceOverrides() };
  await writeFile(join(folder, ".oxlintrc.json"), JSON.stringify(config));
  for (const [path, { refused, allowed }] of Object.entries(cases)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), [...refused, ...allowed].map((name) => `import "${name}";\n`).join(""));
  }
  const oxlint = join(root, "node_modules/.bin/oxlint");
  const { stdout } = spawnSync(process.execPath, [oxlint, "--format=json"], { cwd: folder, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; message: string }[] };
  rejected = diagnostics.map(({ filename, message }) => `${filename} ${/^'(.*)' import/.exec(message)?.[1]}`);
  await rm(folder, { recursive: true });
});

it.each(Object.entries(cases))("rejects only the forbidden imports of %s", (path, { refused }) => {
  const ofFile = rejected.filter((line) => line.startsWith(`${path} `));
  expect(ofFile.toSorted()).toEqual(refused.map((name) => `${path} ${name}`).toSorted());
});

it("rejects a workspace without a fence", () => {
  expect(() => fenceOverrides(["services/auth", "deploy/backup"])).not.toThrow();
  expect(() => fenceOverrides(["services/auth", "packages/export"])).toThrow("what packages/export may import");
});
