import { type DebianSource, findDebianProgram } from "@sonde/kit/testing/debian";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** What runs a command where `/usr` has the files of this folder, too. */
const withFiles = (folder: string, command: readonly string[]) => [
  "--mount",
  "sh",
  "-c",
  `mount -t overlay sonde -o lowerdir='${folder}:/usr' /usr && exec "$@"`,
  "sh",
  ...command,
];
/** Root of Linux, unless its container keeps it from mounting. */
const mayMount = process.getuid?.() === 0 && spawnSync("unshare", withFiles("/etc", ["/usr/bin/true"])).status === 0;

/** Starts a server with these arguments; answers once it listens on the port with what ends it. */
export type StartProgram = (args: readonly string[], port: number) => Promise<() => Promise<void>>;

/**
 * A server of Debian that looks for its parts where its packages put them, and changes its user. Nothing is installed: it
 * sees them there alone. Null where that cannot be: tests of such a server are skipped then.
 */
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

/** Starts a program; answers once it listens on the port with what ends it and all that it started. */
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
