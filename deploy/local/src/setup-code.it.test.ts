import { freePort } from "@sonde/embedded/free-port";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newSetupCode } from "./setup-code.ts";
import { compiled } from "./testing/compiled.ts";

let folder: string;
let port: number;
let sonde: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-setup-"));
  await chmod(folder, 0o755);
  port = await freePort();
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  if (sonde === undefined || sonde.exitCode !== null || sonde.signalCode !== null) return;
  sonde.kill("SIGTERM");
  await once(sonde, "close");
}

async function start(): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts")], {
    env: {
      PATH: process.env.PATH,
      ...compiled,
      HOST: "0.0.0.0",
      PORT: String(port),
      SONDE_DATA_DIR: join(folder, "data"),
      AGENT_DOWNLOAD_DIR: folder,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  sonde = child;
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.startsWith("Sonde is ready")) break;
  }
  child.stdout.resume();
  return lines.join("\n");
}

const register = (setupCode?: string) =>
  fetch(`http://127.0.0.1:${port}/api/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "first", password: "a long password", setupCode }),
  });

it("if other machines can reach Sonde, the first account needs the code from the terminal", async () => {
  const code = /^The first account needs the setup code: (\S{16})$/m.exec(await start())?.[1];
  expect((await register()).status).toBe(403);
  expect((await register("guessed")).status).toBe(403);
  expect((await register(code)).status).toBe(201);
  await stop();
  expect(await start()).not.toContain("setup code");
});

it("creates no code on loopback or if one is set", () => {
  expect(["127.0.0.1", "::1", "localhost"].map((host) => newSetupCode(host, {}))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(newSetupCode("::", { AUTH_SETUP_CODE: "mine" })).toBeUndefined();
  expect(newSetupCode("::", { AUTH_SETUP_CODE: "" })).toMatch(/^\S{16}$/);
});
