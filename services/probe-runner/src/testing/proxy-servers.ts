import { findDebianProgram } from "@sonde/kit/testing/debian";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./loopback.ts";

type Login = { username: string; password: string };

/** A real proxy of HTTP on loopback (tinyproxy), which may ask for a login. */
export async function startTinyproxy(login?: Login) {
  const folder = await mkdtemp(join(tmpdir(), "sonde-tinyproxy-"));
  const port = await freePort();
  const lines = [`Port ${port}`, "Listen 127.0.0.1", "Timeout 60", "MaxClients 20", "LogLevel Warning"];
  if (login !== undefined) lines.push(`BasicAuth ${login.username} ${login.password}`);
  await writeFile(join(folder, "tinyproxy.conf"), lines.join("\n"));
  const source = { package: "tinyproxy-bin", path: "usr/bin/tinyproxy" };
  const stop = await start("tinyproxy", source, ["-d", "-c", join(folder, "tinyproxy.conf")], port);
  return {
    port,
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A real proxy of SOCKS 5 on loopback (microsocks), which may ask for a login. */
export async function startMicrosocks(login?: Login) {
  const port = await freePort();
  const source = { package: "microsocks", path: "usr/bin/microsocks" };
  const args = login === undefined ? [] : ["-u", login.username, "-P", login.password];
  const stop = await start("microsocks", source, ["-i", "127.0.0.1", "-p", String(port), ...args], port);
  return { port, stop };
}

async function start(name: string, source: { package: string; path: string }, args: string[], port: number) {
  const { program, libraries } = await findDebianProgram(name, source);
  const server = spawn(program, args, {
    stdio: "ignore",
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(delimiter) },
  });
  const exited = once(server, "exit");
  await listening(server, port);
  return async () => {
    server.kill("SIGKILL");
    await exited;
  };
}

async function listening(server: ChildProcess, port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (server.exitCode !== null) break;
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket: Socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isOpen) return;
    await delay(50);
  }
  throw new Error(`The proxy does not listen on ${port}`);
}
