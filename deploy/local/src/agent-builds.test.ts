import type { BuildMessage } from "@sonde/agent/build/background";
import type { AgentPlatform } from "@sonde/proto/http/agents/install";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { buildEnvironment, openAgentBuilds } from "./agent-builds.ts";

type Running = {
  platform: AgentPlatform;
  report: (message: BuildMessage) => void;
  end: (code: number | string, output?: string) => void;
};

let dataDir: string;
let running: Running[];
let warnings: string[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-builds-"));
  [running, warnings] = [[], []];
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const open = () =>
  openAgentBuilds({
    dataDir,
    own: "linux-x64",
    warn: (line) => warnings.push(line),
    build: ({ platform }, report) => {
      const { promise, resolve } = Promise.withResolvers<{ code: number | string; output: string }>();
      const end: Running["end"] = (code, output = "") => resolve({ code, output });
      running.push({ platform, report, end });
      return { ended: promise, kill: () => end("SIGKILL") };
    },
  });
async function writeArchive(folder: string): Promise<void> {
  await writeFile(join(folder, "sonde-agent-linux-x64.tar.xz"), "an archive");
  await writeFile(join(folder, "SHA256SUMS"), `${"0".repeat(64)}  sonde-agent-linux-x64.tar.xz\n`);
}
const started = (count: number) => vi.waitFor(() => expect(running).toHaveLength(count), 5000);

it("builds this machine's agent once, and not again at the next start", async () => {
  const builds = await open();
  await builds.begin();
  await started(1);
  expect(builds.state("linux-x64")).toEqual({ status: "building", step: "fetch", percent: 0 });
  running[0]?.report({ status: "building", step: "compress", percent: 71 });
  expect(builds.state("linux-x64")).toMatchObject({ percent: 71 });
  await writeArchive(builds.folder);
  running[0]?.end(0);
  await vi.waitFor(() => expect(builds.state("linux-x64")).toBeNull());
  await builds.stop();

  const again = await open();
  await again.begin();
  await again.stop();
  expect(again.folder).toBe(builds.folder);
  expect(running).toHaveLength(1);
});

it("removes agents of other sources and leftovers of a killed build after its own build", async () => {
  const old = join(dataDir, "agents/0123456789abcdef");
  await mkdir(old, { recursive: true });
  const builds = await open();
  await mkdir(join(builds.folder, ".work-left"));
  await builds.begin();
  await started(1);
  expect(await readdir(join(dataDir, "agents"))).toContain("0123456789abcdef");
  await writeArchive(builds.folder);
  running[0]?.end(0);
  await vi.waitFor(async () => expect(await readdir(join(dataDir, "agents"))).not.toContain("0123456789abcdef"));
  expect((await readdir(builds.folder)).filter((name) => name.startsWith("."))).toEqual([]);
  expect(await readdir(join(dataDir, "agents"))).toContain("signing-key.pem");
  await builds.stop();
});

it("builds requested platforms one after the other, and ignores repeated requests", async () => {
  const builds = await open();
  for (const platform of ["win-x64", "linux-arm64", "win-x64", "linux-arm64"] as const) builds.start(platform);
  await started(1);
  expect(builds.state("linux-arm64")).toEqual({ status: "waiting" });
  running[0]?.end(0);
  await started(2);
  running[1]?.end(0);
  await vi.waitFor(() => expect(builds.state("linux-arm64")).toBeNull());
  expect(running.map(({ platform }) => platform)).toEqual(["win-x64", "linux-arm64"]);
  await builds.stop();
});

it("warns once of a failed build, and keeps the reason until the next request", async () => {
  const builds = await open();
  builds.start("win-x64");
  await started(1);
  running[0]?.report({ status: "failed", reason: "tool", tool: "xz" });
  running[0]?.end(1, "xz is not installed");
  await vi.waitFor(() => expect(warnings).toHaveLength(1));
  expect(warnings[0]).toBe("The agent for win-x64 could not be built: xz is not installed");
  expect(builds.state("win-x64")).toEqual({ status: "failed", reason: "tool", tool: "xz" });
  builds.start("win-x64");
  await started(2);
  // A killed build (out of memory, for example) sends no message.
  running[1]?.end("SIGKILL");
  await vi.waitFor(() => expect(builds.state("win-x64")).toEqual({ status: "failed", reason: "fault" }));
  await builds.stop();
});

it("a stop ends the running build without a warning, and starts no other", async () => {
  const builds = await open();
  builds.start("linux-x64");
  builds.start("win-x64");
  await started(1);
  await builds.stop();
  expect([running.length, warnings]).toEqual([1, []]);
});

it("creates one private signing key, and writes the public key next to the archives", async () => {
  const { folder } = await open();
  const file = join(dataDir, "agents/signing-key.pem");
  const key = await readFile(file, "utf8");
  await open();
  expect(await readFile(file, "utf8")).toBe(key);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, "signing-key.pub"), "utf8")).toContain("BEGIN PUBLIC KEY");
});

it("passes PATH, home, proxies and registries to npm, but none of Sonde's secrets", () => {
  const needed = {
    PATH: "/usr/bin",
    HOME: tmpdir(),
    https_proxy: "http://proxy:3128",
    HTTP_PROXY: "http://proxy:3128",
    npm_config_registry: "http://127.0.0.1:9",
    NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
  };
  const secret = {
    SONDE_SECRET_KEY: "k",
    DATABASE_URL: "postgres://u:p@h/d",
    NATS_URL_AUTH: "n",
    AUTH_SETUP_CODE: "c",
  };
  expect(buildEnvironment({ ...needed, ...secret })).toEqual(needed);
});
