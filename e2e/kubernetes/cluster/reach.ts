import { spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Namespace } from "./namespace.ts";

export interface Reached {
  host: string;
  port: number;
  /** Whether the Service distributes requests as in the cluster. Otherwise they all go to one pod. */
  isDirect: boolean;
  close(): void;
}

/** kube-proxy learns about a ready pod slightly later than the API server. */
const [connectTimeoutMs, attempts, pauseMs] = [2000, 10, 500];

/** Connects to a port of a Service with a ready pod: at its cluster address, or through `kubectl port-forward`. */
export async function reach(namespace: Namespace, service: string, port: number | string): Promise<Reached> {
  const { spec } = await namespace.service(service);
  const number = spec.ports.find((one) => one.name === port || one.port === port)?.port;
  if (number === undefined) throw new Error(`the Service ${service} has no port ${port}`);
  for (let attempt = 1; spec.clusterIP !== "None" && attempt <= attempts; attempt++) {
    if (await connects(spec.clusterIP, number)) {
      return { host: spec.clusterIP, port: number, isDirect: true, close: () => {} };
    }
    await sleep(pauseMs);
  }
  return forward(namespace, service, number);
}

async function forward(namespace: Namespace, service: string, port: number): Promise<Reached> {
  const args = ["-n", namespace.name, "port-forward", `service/${service}`, `:${port}`];
  const child = spawn("kubectl", args, { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit").then(() => {
    throw new Error(`kubectl port-forward to ${service} exited: ${errors.trim()}`);
  });
  ended.catch(() => {});
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  const local = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
  return { host: "127.0.0.1", port: local, isDirect: false, close: () => void child.kill() };
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: connectTimeoutMs });
    const settle = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", settle(true)).once("error", settle(false)).once("timeout", settle(false));
  });
}
