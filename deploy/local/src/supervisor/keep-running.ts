import type { EmbeddedServer } from "@sonde/embedded/nats";
import { explainError } from "@sonde/kit/service/startup-error";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { watchForHang } from "./hang-detection.ts";
import { type EachSecond, repeat } from "./seconds.ts";
import type { Terminal } from "../terminal.ts";

/** Starts a server on a free port at first, and later on the same one. */
export type StartServer = (port?: number) => Promise<EmbeddedServer>;
export type SupervisedServer = { url: string; stop: () => Promise<void> };
type Output = Pick<Terminal, "info" | "warn">;

const probeEverySeconds = 5;

/** Kills a server that has not responded for 30 s. `keepRunning` restarts it. */
export function killWhenHung(
  name: string,
  server: Pick<EmbeddedServer, "pid" | "exited">,
  probe: ServerProbe,
  terminal: Output,
  eachSecond?: EachSecond,
): void {
  const hangWatch = watchForHang(name, terminal, () => killServer(server.pid), { eachSecond });
  const stopProbing = repeat(probeEverySeconds, () => probe().then(hangWatch.confirmAlive, () => {}), eachSecond);
  void server.exited.then(() => {
    stopProbing();
    hangWatch.stop();
  });
}

/** Restarts a server that dies on the same port, because the services have its URL. */
export async function keepRunning(name: string, start: StartServer, terminal: Output): Promise<SupervisedServer> {
  const nextWaitMs = restartWaits();
  const stopping = new AbortController();
  let server = await start();
  const { port, url } = server;
  let reason = "";
  const startAgain = async () => {
    const waitMs = nextWaitMs();
    if (reason === "") terminal.warn(`${name} ended; restarting in ${waitMs / 1000} s.`);
    await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return;
    try {
      server = await start(port);
      if (reason !== "") terminal.info(`${name} is running again.`);
      reason = "";
    } catch (fault) {
      // Reports the same reason, such as a full disk, only once.
      if (explainError(fault) !== reason) terminal.warn(`${name} does not start: ${explainError(fault)}`);
      reason = explainError(fault);
    }
  };
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await server.exited;
      if (!stopping.signal.aborted) await startAgain();
    }
  })();
  return {
    url,
    async stop() {
      stopping.abort();
      await server.stop();
      await watching;
      await server.stop(); // It may have been restarting.
    },
  };
}

const firstWaitMs = 500;
const maxWaitMs = 30_000;
const calmMs = 60_000;

/** Returns the waits between restarts: from 0.5 s, doubling to 30 s, reset after a minute without a restart. */
export function restartWaits(now: () => number = () => performance.now()): () => number {
  let lastAt = -Infinity;
  let waitMs = firstWaitMs;
  return () => {
    waitMs = now() - lastAt > calmMs + waitMs ? firstWaitMs : Math.min(waitMs * 2, maxWaitMs);
    lastAt = now();
    return waitMs;
  };
}

/** Rejects if the server does not respond. */
export type ServerProbe = () => Promise<void>;

const limitMs = 5_000;
/** `SSLRequest` (https://www.postgresql.org/docs/current/protocol-message-formats.html), which needs no login. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Checks that the postmaster accepts a connection and starts a process for it. */
export const probePostgres =
  (port: number): ServerProbe =>
  () =>
    exchange(port, sslRequest, /./s);

/**
 * Checks that JetStream responds, because a server whose disk was full may keep its connections but never store anything
 * again. Does not use the client library, which would take 2 MiB for this one request
 * (https://docs.nats.io/reference/reference-protocols/nats-protocol).
 */
export function probeNats(url: string): ServerProbe {
  const { username, password, port } = new URL(url);
  const access = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {};
  const options = { verbose: false, pedantic: false, name: "npm start", lang: "node", version: "1", ...access };
  const request = `CONNECT ${JSON.stringify(options)}\r\nSUB _INBOX.probe 1\r\nPUB $JS.API.INFO _INBOX.probe 0\r\n\r\n`;
  return () => exchange(Number(port), request, /^MSG _INBOX\.probe /m);
}

/** Sends a request on a new connection and waits for a matching response. Rejects after 5 s of inactivity. */
function exchange(port: number, request: string | Buffer, expected: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.setTimeout(limitMs, () => socket.destroy());
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (!expected.test(received)) return;
      resolve();
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("no response")));
  });
}

/** Kills a server and its child processes, because a stopped child (SIGSTOP) would keep files open. */
export function killServer(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const each of [pid, ...childrenOf(pid)]) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // Already ended.
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // It has exited, or this is not Linux. PostgreSQL's processes exit with their parent.
  }
}
