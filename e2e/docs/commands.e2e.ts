import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { readRunBlocks } from "../../deploy/verify/docs/commands.ts";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Api } from "@sonde/testing/api";
import { useInstallation } from "../support/shared.ts";

const pages = await readRunBlocks();
const scopes = ["read", "metrics", "monitors", "agents", "incidents", "notifications", "status", "config"];

let origin: string;
let api: Api;
let environment: Record<string, string>;
/** The monitors with the ids 1 and 2 in the pages. */
let monitors: number[];
beforeAll(async () => {
  const sonde = await useInstallation("default");
  ({ api, url: origin } = sonde);
  const { secret } = await api.send<{ secret: string }>("POST", "/api/keys", { name: "docs", scopes });
  const nothing = { url: "http://127.0.0.1:9/", retries: 0, tags: ["shop"] };
  const add = async (name: string) =>
    (await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", { ...nothing, name })).monitor.id;
  monitors = [await add("docs-one"), await add("docs-two")];
  const areOpen = async () => {
    const { incidents } = await api.get<{ incidents: Incident[] }>("/api/incidents?open=true&search=docs-");
    expect(incidents).toHaveLength(2);
  };
  await vi.waitFor(areOpen, { timeout: 60_000, interval: 500 });
  environment = { SONDE_KEY: secret, token: sonde.session.token };
});

/** Runs the blocks of a page in one shell, with the product's address in place of the documented one. */
async function runInShell(code: string): Promise<{ exit: unknown; output: string }> {
  const home = await mkdtemp(join(tmpdir(), "sonde-docs-"));
  const here = code
    .replaceAll("https://sonde.example.com", origin)
    .replaceAll(/(?<!\/)localhost:8080/g, new URL(origin).host)
    .replaceAll("[1, 2]", JSON.stringify(monitors));
  const path = `${home}/.local/bin:/usr/local/bin:/usr/bin:/bin`;
  const child = spawn("bash", ["-e", "-o", "pipefail", "-x", "-c", here], {
    cwd: home,
    env: { ...environment, PATH: path, HOME: home, SLACK_URL: "https://hooks.slack.com/services/T/B/x" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const exit = await new Promise((done) => child.once("close", done));
  await rm(home, { recursive: true, force: true });
  return { exit, output };
}

test.each(pages)("the commands of %s work", async (_, blocks) => {
  const { exit, output } = await runInShell(blocks.map(({ code }) => code).join("\n"));
  expect([exit, output]).toEqual([0, expect.any(String)]);
});

test("the YAML monitors of docs/checks.md are valid", async () => {
  const text = await readFile(join(import.meta.dirname, "../../docs/checks.md"), "utf8");
  const documents = [...text.matchAll(/^```yaml\n(monitors:[^]*?)^```$/gm)].map(
    ([, code = ""]) => parse(code) as object,
  );
  expect(documents).toHaveLength(3);
  for (const config of documents) {
    const { plan } = await api.send<{ plan: { create: unknown[] } }>("POST", "/api/apply?dryRun=true", {
      source: "docs",
      config,
    });
    expect(plan.create).toHaveLength(1);
  }
});

test.each([
  ["/docs/", "First five minutes"],
  ["/docs/zh-CN/troubleshooting", "为什么没有收到告警"],
])("%s is served without a login", async (path, words) => {
  const answer = await fetch(origin + path);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(words)]);
});
