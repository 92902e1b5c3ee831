import { type DebianSource, findDebianProgram } from "./debian.testing.ts";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Arguments for `unshare` that run a command with this folder overlaid on `/usr`. */
const withFiles = (folder: string, command: readonly string[]) => [
  "--mount",
  "sh",
  "-c",
  `mount -t overlay sonde -o lowerdir='${folder}:/usr' /usr && exec "$@"`,
  "sh",
  ...command,
];
/** True for root on Linux, unless its container forbids mounting. */
const mayMount = process.getuid?.() === 0 && spawnSync("unshare", withFiles("/etc", ["/usr/bin/true"])).status === 0;

/** Starts a server; resolves with a function that stops it after it listens on the port. */
export type StartProgram = (args: readonly string[], port: number) => Promise<() => Promise<void>>;

/** A Debian server with its own view of the file system, as if installed; `null` if root may not mount. */
export async function offerServer(name: string, source: DebianSource): Promise<StartProgram | null> {
  if (!mayMount) return null;
  const found = await findDebianProgram(name, source).catch(() => null);
  if (found === null) return null;
  const { root } = found;
  return (args, port) => {
    const command = [`/${source.path}`, ...args];
    return startListening("unshare", root === "/" ? ["--mount", ...command] : withFiles(`${root}/usr`, command), port);
  };
}

/** Starts a program and waits until it listens on the port. @returns a function that stops it and its children */
export async function startListening(
  program: string,
  args: readonly string[],
  port: number,
  env: Record<string, string> = {},
): Promise<() => Promise<void>> {
  const server = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    detached: true,
  });
  const said: string[] = [];
  for (const output of [server.stdout, server.stderr]) output.on("data", (data) => said.push(String(data)));
  const exited = once(server, "exit");
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) process.kill(-server.pid!, "SIGTERM");
    await exited;
  };
  for (let attempt = 0; attempt < 200 && server.exitCode === null; attempt++) {
    if (await isListening(port)) return stop;
    await delay(50);
  }
  await stop();
  throw new Error(`${args.join(" ")} does not listen on ${port}:\n${said.join("").slice(-2000)}`);
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
