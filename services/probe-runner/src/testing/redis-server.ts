import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { findDebianProgram } from "@sonde/kit/testing/debian";
import { freePort } from "./loopback.ts";

export async function startRedis(settings: readonly string[], tls?: { cert: string; key: string }) {
  const { program, libraries } = await findDebianProgram("redis-server", {
    package: "redis-server",
    path: "usr/bin/redis-server",
  });
  const folder = await mkdtemp(join(tmpdir(), "sonde-redis-"));
  const port = await freePort();
  const secured = [
    `tls-port ${port}`,
    "port 0",
    "tls-cert-file cert.pem",
    "tls-key-file key.pem",
    "tls-auth-clients no",
  ];
  const listening = tls === undefined ? [`port ${port}`] : secured;
  if (tls !== undefined) {
    await writeFile(join(folder, "cert.pem"), tls.cert);
    await writeFile(join(folder, "key.pem"), tls.key);
  }
  const lines = [
    "bind 127.0.0.1",
    'save ""',
    "appendonly no",
    "daemonize no",
    `dir ${folder}`,
    ...listening,
    ...settings,
  ];
  await writeFile(join(folder, "redis.conf"), lines.join("\n"));
  const server = spawn(program, ["redis.conf"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(delimiter) },
  });
  const exited = new Promise<void>((done) => server.once("close", () => done()));
  const stop = async () => {
    server.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  await once(server, "spawn");
  const log: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    log.push(line);
    if (!/ready to accept connections/i.test(line)) continue;
    server.stdout.resume();
    return { port, stop };
  }
  await stop();
  throw new Error(`Redis did not start:\n${log.slice(-10).join("\n")}`);
}
