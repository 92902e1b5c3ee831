import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/** The API server of KUBECONFIG, without a kubectl process per request. Paths begin with `/api` or `/apis`. */
export interface ClusterApi {
  /** @throws ApiError unless the status is 2xx */
  get<Body>(path: string): Promise<Body>;
  text(path: string): Promise<string>;
  send<Body>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Body>;
  close(): void;
}

export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const [startTimeoutMs, answerTimeoutMs] = [20_000, 30_000];

/** Starts `kubectl proxy` on a socket that other users cannot open. */
export async function openClusterApi(): Promise<ClusterApi> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-kubernetes-"));
  const socketPath = join(folder, "api");
  const child = spawn("kubectl", ["proxy", `--unix-socket=${socketPath}`], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  child.once("error", (error) => (errors += error.message));
  for (let waitedMs = 0; !(await isOpen(socketPath)); waitedMs += 100) {
    if (child.exitCode !== null || child.pid === undefined || waitedMs > startTimeoutMs) {
      throw new Error(`kubectl proxy did not start: ${errors.trim()}`);
    }
    await sleep(100);
  }
  const call = async (method: string, path: string, body?: unknown): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const type = method === "PATCH" ? "application/strategic-merge-patch+json" : "application/json";
    const content = body === undefined ? "" : JSON.stringify(body);
    // Node.js gives the length only for methods that usually have a body, so not for DELETE.
    const headers = { "content-type": type, "content-length": Buffer.byteLength(content) };
    const sent = request({ socketPath, method, path, headers, timeout: answerTimeoutMs });
    sent.on("timeout", () => sent.destroy(new Error(`${method} ${path}: no response`)));
    sent.on("error", reject);
    sent.on("response", (response) => {
      text(response).then((answer) => {
        const { statusCode: status = 0 } = response;
        if (status < 300) resolve(answer);
        else reject(new ApiError(status, `${method} ${path}: ${status} ${answer.slice(0, 500)}`));
      }, reject);
    });
    sent.end(content);
    return promise;
  };
  return {
    get: async <Body>(path: string) => JSON.parse(await call("GET", path)) as Body,
    text: (path) => call("GET", path),
    send: async <Body>(method: string, path: string, body?: unknown) =>
      JSON.parse(await call(method, path, body)) as Body,
    close() {
      child.kill();
      void rm(folder, { recursive: true, force: true });
    },
  };
}

function isOpen(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
