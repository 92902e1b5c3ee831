import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { findDebianProgram } from "@sonde/kit/testing/debian";
import { expect, it, onTestFinished, vi } from "vitest";
import { probe } from "../../testing/check.ts";
import { freePort } from "../../testing/loopback.ts";

/** Starts chrony on loopback without adjusting the system clock. Returns its port. */
async function startChrony(...settings: string[]): Promise<number> {
  const { program, libraries } = await findDebianProgram("chronyd", { package: "chrony", path: "usr/sbin/chronyd" });
  const folder = await mkdtemp(join(tmpdir(), "sonde-chrony-"));
  const port = await freePort();
  const lines = [`port ${port}`, "bindaddress 127.0.0.1", "cmdport 0", "bindcmdaddress /", "allow", ...settings];
  await writeFile(join(folder, "chrony.conf"), [...lines, `pidfile ${folder}/chronyd.pid`].join("\n"));
  const user = String(process.getuid?.() ?? 0) === "0" ? ["-u", "root"] : ["-U"];
  const server = spawn(program, ["-x", "-d", ...user, "-f", join(folder, "chrony.conf")], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(delimiter) },
  });
  const exited = once(server, "close");
  onTestFinished(async () => {
    server.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  const log: string[] = [];
  for await (const line of createInterface(server.stderr)) {
    log.push(line);
    if (!line.includes("Disabled control of system clock")) continue;
    server.stderr.resume();
    return port;
  }
  throw new Error(`chrony did not start:\n${log.join("\n")}`);
}

const check = (port: number) => probe({ type: "ntp", host: "127.0.0.1", port }, { timeoutMs: 3000 });
const refused = { error: { message: "The connection was refused" } };

/** Retries until the port is open, shortly after chrony reports that it runs. */
async function checkOnceOpen(port: number) {
  await vi.waitFor(async () => expect(await check(port)).not.toMatchObject(refused), 10_000);
  return check(port);
}

it("chrony serving the system's time is up", async () => {
  expect(await checkOnceOpen(await startChrony("local stratum 8"))).toMatchObject({ status: "up" });
});

it("chrony without a source is not synchronised", async () => {
  expect(await checkOnceOpen(await startChrony())).toMatchObject({
    status: "down",
    error: { kind: "status", message: "The time server is not synchronized" },
  });
});
