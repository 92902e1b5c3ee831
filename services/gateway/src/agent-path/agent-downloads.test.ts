import type { AgentBuild } from "@sonde/proto/http/agents/downloads";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig, toSpki } from "../config.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";

const archive = "sonde-agent-linux-x64.tar.xz";
const pemOf = (namedCurve: string) =>
  generateKeyPairSync("ec", { namedCurve }).publicKey.export({ type: "spki", format: "pem" }).toString();

let folder: string;
let apps: TestApp[] = [];
let builds: Map<string, AgentBuild>;
let started: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-downloads-"));
  [builds, started, apps] = [new Map(), [], []];
});
afterEach(async () => {
  for (const app of apps) await app.stop();
  await rm(folder, { recursive: true, force: true });
});

async function serve(config: Partial<typeof testConfig> = {}, hasBuilder = true): Promise<TestApp> {
  const agentBuilder = {
    state: (name: string) => builds.get(name) ?? null,
    start: (name: string) => started.push(name),
    begin: async () => void started.push("own"),
  };
  const app = await startTestApp({
    config: { ...testConfig, agentDownloadDir: folder, ...config },
    agentBuilder: hasBuilder ? agentBuilder : null,
  });
  apps.push(app);
  return app;
}
const linux = (body: Record<string, unknown>) =>
  (body["downloads"] as { platform: string }[]).find(({ platform }) => platform === "linux-x64");
const read = async (app: TestApp) => (await app.ask("GET", "/api/agents/downloads", { as: "viewer" })).body;
const build = (app: TestApp, platform: string) =>
  app.ask("POST", "/api/agents/downloads", { as: "user", body: { platform } });

test("a download is ready once its archive and checksum exist", async () => {
  const app = await serve();
  expect(linux(await read(app))).toEqual({ platform: "linux-x64", status: "absent" });
  await writeFile(join(folder, archive), "an archive");
  expect(linux(await read(app))).toEqual({ platform: "linux-x64", status: "absent" });
  await writeFile(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  ${archive}\n`);
  expect(linux(await read(app))).toEqual({ platform: "linux-x64", status: "ready" });
});

test("the response shows running builds, and why one failed", async () => {
  const app = await serve();
  builds.set("linux-x64", { status: "building", step: "compress", percent: 70 });
  expect(linux(await read(app))).toEqual({ platform: "linux-x64", status: "building", step: "compress", percent: 70 });
  builds.set("linux-x64", { status: "failed", reason: "tool", tool: "xz" });
  expect(linux(await read(app))).toMatchObject({ status: "failed", reason: "tool", tool: "xz" });
});

test("a user can start the build of absent and failed archives only", async () => {
  const app = await serve();
  expect((await build(app, "win-x64")).status).toBe(200);
  builds.set("linux-x64", { status: "failed", reason: "registry" });
  await build(app, "linux-x64");
  builds.set("linux-x64", { status: "waiting" });
  await build(app, "linux-x64");
  await writeFile(join(folder, "sonde-agent-linux-arm64.tar.xz"), "an archive");
  await writeFile(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  sonde-agent-linux-arm64.tar.xz\n`);
  await build(app, "linux-arm64");
  expect(started).toEqual(["win-x64", "linux-x64"]);
  expect((await build(app, "../../etc")).status).toBe(400);
});

test("requesting an absent archive starts no build, because anyone can request it", async () => {
  const app = await serve();
  expect((await fetch(`${app.url}/downloads/${archive}`)).status).toBe(404);
  expect((await app.ask("POST", "/api/agents/downloads", { body: { platform: "linux-x64" } })).status).toBe(401);
  expect(started).toEqual([]);
});

test("a gateway that cannot build says where to put archives", async () => {
  const app = await serve({}, false);
  expect(await read(app)).toMatchObject({ source: "here", canBuild: false });
  const refused = await build(app, "linux-x64");
  expect([refused.status, refused.body["message"]]).toEqual([422, expect.stringContaining("AGENT_DOWNLOAD_DIR")]);
});

test("nothing is known or built for an external download URL", async () => {
  const app = await serve({ agentDownloadUrl: "https://files.example.com/agents" });
  expect(await read(app)).toEqual({ success: true, source: "elsewhere", canBuild: false, downloads: [] });
  await build(app, "linux-x64");
  expect(started).toEqual([]);
});

test("creating a token builds this machine's agent; listing does not", async () => {
  const app = await serve();
  await read(app);
  await app.ask("POST", "/api/agents/tokens", { as: "viewer", body: {} });
  expect(started).toEqual([]);
  expect((await app.ask("POST", "/api/agents/tokens", { as: "user", body: {} })).status).toBe(201);
  expect(started).toEqual(["own"]);
});

test("the commands contain the key next to the gateway's own archives, or the configured one, but not a custom folder's", async () => {
  const commands = async (config: Partial<typeof testConfig> = {}) => {
    const app = await serve(config);
    const { body } = await app.ask("POST", "/api/agents/tokens", { as: "user", body: {} });
    return (body["install"] as { linux: string }).linux;
  };
  expect(await commands()).not.toContain("PUBLIC KEY");
  const pem = pemOf("P-256");
  await writeFile(join(folder, "signing-key.pub"), pem);
  expect(await commands()).toContain(pem);
  const agentDownloadUrl = "https://files.example.com/agents";
  expect(await commands({ agentDownloadUrl })).not.toContain("PUBLIC KEY");
  expect(await commands({ agentDownloadUrl, agentDownloadKey: toSpki(pem) })).toContain(pem);
  await writeFile(join(folder, "signing-key.pub"), "'; rm -rf / #");
  expect(await commands()).not.toContain("rm -rf");
});

test("the gateway refuses to start with a key that is not P-256 in base64", () => {
  const spki = toSpki(pemOf("P-256")) ?? "";
  expect(readConfig({ AGENT_DOWNLOAD_KEY: spki }).agentDownloadKey).toBe(spki);
  for (const wrong of ["x", toSpki(pemOf("P-384")) ?? pemOf("P-384"), "MCowBQYDK2VwAyEA"])
    expect(() => readConfig({ AGENT_DOWNLOAD_KEY: wrong })).toThrow("AGENT_DOWNLOAD_KEY");
});
