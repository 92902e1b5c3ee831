import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startForwarder } from "@sonde/testing/forwarder";

/** True if this process may create network namespaces. */
export const mayIsolate = spawnSync("unshare", ["--net", "ip", "link", "set", "lo", "up"]).status === 0;

/** Port of a healthy HTTP target inside the namespace. */
export const targetPort = 18_080;

/** The namespace's only way out is a Unix socket, to which this port of its loopback is forwarded. */
const inside = (wayOut: string, port: number) => `
  const { connect, createServer } = require("node:net");
  createServer((inbound) => {
    const outbound = connect(${JSON.stringify(wayOut)});
    for (const [one, other] of [[inbound, outbound], [outbound, inbound]]) {
      one.on("error", () => {}).once("close", () => other.destroy());
      one.pipe(other);
    }
  }).listen(${port}, "127.0.0.1");
  require("node:http").createServer((_request, response) => response.end("fine")).listen(${targetPort}, "127.0.0.1");`;

export type IsolatedRunner = {
  child: ChildProcess;
  output(): string;
  /** Cuts all connections, and the way out until `heal`. */
  cut(): Promise<void>;
  heal(): Promise<void>;
  stop(): Promise<void>;
};

/** Runs a shell command in a network namespace from which only the gateway can be reached, at its usual address. */
export async function runIsolated(gateway: string, command: string): Promise<IsolatedRunner> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-isolated-"));
  const wayOut = join(folder, "way-out");
  const { port } = new URL(gateway);
  const { start: heal, stop: cut } = await startForwarder(gateway, { path: wayOut });
  const isOpen = `until curl -fso /dev/null ${gateway}/; do sleep 0.2; done`;
  const script = `ip link set lo up && cd ${folder} && { node -e "$INSIDE" & ${isOpen}; ${command}; }`;
  const child = spawn("unshare", ["--net", "--pid", "--fork", "--kill-child", "sh", "-c", script], {
    env: {
      PATH: process.env.PATH,
      INSIDE: inside(wayOut, Number(port)),
      // Its target is on its own loopback.
      PROBE_DENY_CIDRS: "none",
      SONDE_RUNNER_NAME: "isolated",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => void (output += text));
  return {
    child,
    output: () => output,
    cut,
    heal,
    stop: async () => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await ended;
      await cut();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
