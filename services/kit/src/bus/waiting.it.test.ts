import { freePort } from "@sonde/embedded/free-port";
import { findNatsServer } from "@sonde/embedded/nats-binary";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { connectBus } from "./connect.ts";
import { createLog } from "../service/log.ts";

test("waiting for a bus is logged with address and reason, once per reason, without the password", async () => {
  const port = await freePort();
  const lines: { msg: string; reason?: string }[] = [];
  const log = createLog("test", "info", { write: (line) => void lines.push(JSON.parse(line)) });
  const url = `nats://sonde:very-secret@127.0.0.1:${port}`;
  const connecting = connectBus({ url, name: "test", log, streams: [], buckets: [] });
  await vi.waitFor(() => expect(lines).toHaveLength(1), 30_000);

  const program = await findNatsServer();
  const args = ["-a", "127.0.0.1", "-p", String(port), "--user", "sonde", "--pass", "very-secret"];
  const without = spawn(program, args, { stdio: "ignore" });
  await vi.waitFor(() => expect(lines.at(-1)?.reason).toContain("without JetStream"), { timeout: 30_000 });
  const told = lines.map(({ msg, reason }) => (reason === undefined ? msg : `${msg}: ${reason}`));
  without.kill("SIGKILL");
  await new Promise((resolve) => without.once("exit", resolve));

  const where = `NATS at nats://127.0.0.1:${port}`;
  expect(told[0]).toMatch(new RegExp(`^waiting for ${where}: .*refused`));
  expect(told).toContain(`${where} is reachable`);
  expect(told.at(-1)).toBe(`waiting for ${where}: it runs without JetStream (start nats-server with -js)`);
  expect(told.length).toBeLessThanOrEqual(4);

  const folder = await mkdtemp(join(tmpdir(), "sonde-waiting-"));
  const whole = spawn(program, [...args, "-js", "-sd", folder], { stdio: "ignore" });
  const bus = await connecting;
  expect(JSON.stringify(lines)).not.toContain("very-secret");
  await bus.close();
  whole.kill("SIGKILL");
  await new Promise((resolve) => whole.once("exit", resolve));
  await rm(folder, { recursive: true });
});

test("waiting for a bus can be aborted", async () => {
  const giveUp = new AbortController();
  const log = createLog("test", "info", { write: () => giveUp.abort() });
  const url = `nats://127.0.0.1:${await freePort()}`;

  await expect(connectBus({ url, name: "test", log, signal: giveUp.signal })).rejects.toThrow();
});
