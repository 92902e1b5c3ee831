import type { EmbeddedServer } from "@sonde/embedded/nats";
import { describeFault } from "@sonde/kit/service/startup-error";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { endWhenHung } from "./hang-detection.ts";
import { type EachSecond, repeat } from "./seconds.ts";
import type { Terminal } from "../terminal.ts";

/** Starts a server: on a free port at first, then on the same one. */
export type StartServer = (port?: number) => Promise<EmbeddedServer>;
export type SupervisedServer = { url: string; stop: () => Promise<void> };
type Words = Pick<Terminal, "say" | "warn">;

const askEverySeconds = 5;

/** Kills a server that has not responded for 30 s, so that it is restarted. */
export function endWhenStill(
  name: string,
  server: Pick<EmbeddedServer, "pid" | "exited">,
  probe: ServerProbe,
  terminal: Words,
  eachSecond?: EachSecond,
): void {
  const hangWatch = endWhenHung(name, terminal, () => killServer(server.pid), { eachSecond });
  const stopAsking = repeat(askEverySeconds, () => probe().then(hangWatch.heard, () => {}), eachSecond);
  void server.exited.then(() => {
    stopAsking();
    hangWatch.stop();
  });
}

/** Restarts a server that dies, on the port that the services know. */
export async function keepRunning(name: string, start: StartServer, terminal: Words): Promise<SupervisedServer> {
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
      if (reason !== "") terminal.say(`${name} is running again.`);
      reason = "";
    } catch (fault) {
      // The same reason, such as a full disk, is reported once.
      if (describeFault(fault) !== reason) terminal.warn(`${name} does not start: ${describeFault(fault)}`);
      reason = describeFault(fault);
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
      await server.stop(); // It may have been starting again.
    },
  };
}

const firstWaitMs = 500;
const maxWaitMs = 30_000;
const calmMs = 60_000;

/** Waits between restarts: 0.5 s, doubling to 30 s, and 0.5 s again after a minute without a restart. */
export function restartWaits(now: () => number = () => performance.now()): () => number {
  let lastAt = -Infinity;
  let waitMs = firstWaitMs;
  return () => {
    waitMs = now() - lastAt > calmMs + waitMs ? firstWaitMs : Math.min(waitMs * 2, maxWaitMs);
    lastAt = now();
    return waitMs;
  };
}

/** Asks a server for a sign of life; rejects if there is none. */
export type ServerProbe = () => Promise<void>;

const limitMs = 5_000;
/** `SSLRequest` (https://www.postgresql.org/docs/current/protocol-message-formats.html): answered before any login. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The postmaster must accept a connection and start a process for it: everything that a session needs before its login. */
export const probePostgres =
  (port: number): ServerProbe =>
  () =>
    exchange(port, sslRequest, /./s);

/**
 * JetStream must answer: a server whose disk was full may hold its connections and never store anything again. The
 * client library would take 2 MiB for this one request
 * (https://docs.nats.io/reference/reference-protocols/nats-protocol).
 */
export function probeNats(url: string): ServerProbe {
  const { username, password, port } = new URL(url);
  const access = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {};
  const options = { verbose: false, pedantic: false, name: "npm start", lang: "node", version: "1", ...access };
  const request = `CONNECT ${JSON.stringify(options)}\r\nSUB _INBOX.probe 1\r\nPUB $JS.API.INFO _INBOX.probe 0\r\n\r\n`;
  return () => exchange(Number(port), request, /^MSG _INBOX\.probe /m);
}

/** Sends a request on a new connection and waits for an answer that matches. Rejects after 5 s without a byte. */
function exchange(port: number, request: string | Buffer, answer: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.setTimeout(limitMs, () => socket.destroy());
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (!answer.test(received)) return;
      resolve();
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("no answer")));
  });
}

/** Kills a server and its child processes: a child that was stopped (SIGSTOP) would keep its files open. */
export function killServer(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const each of [pid, ...startedBy(pid)]) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }
}

function startedBy(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // It has exited, or this is not Linux: PostgreSQL's processes notice by themselves.
  }
}
