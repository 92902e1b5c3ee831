import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { EmbeddedServer } from "@sonde/kit/embedded/nats";
import { describeFault } from "@sonde/kit/embedded/startup-error";
import { startLoop } from "@sonde/kit/time/loop";
import { readFileSync } from "node:fs";
import { connect as connectTo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type EachSecond, endWhenHung } from "./hang-detection.ts";
import type { Terminal } from "../terminal.ts";

/** Starts a server, on the port it had before where it starts again. */
export type StartServer = (port?: number) => Promise<EmbeddedServer>;
export type KeptServer = { url: string; stop: () => Promise<void> };
type Words = Pick<Terminal, "say" | "warn">;

const askEveryMs = 5_000;

/**
 * Kills a server that runs but has not answered for 30 s, so that it is restarted: a NATS whose disk was full stays
 * blocked when there is space again, and handles no other signal.
 */
export function endWhenStill(
  name: string,
  server: Pick<EmbeddedServer, "pid" | "exited">,
  probe: ServerProbe,
  terminal: Words,
  eachSecond?: EachSecond,
): void {
  const hangWatch = endWhenHung(name, terminal, () => killServer(server.pid), { eachSecond });
  const ask = () => probe.ask().then(hangWatch.heard, () => {});
  const asking = startLoop({ work: `asking ${name}`, everyMs: askEveryMs, run: ask });
  void server.exited.then(() => {
    void asking.stop();
    hangWatch.stop();
    probe.close();
  });
}

/** A server that dies is started again on its port, so that the services find it where they look for it. */
export async function keepRunning(name: string, start: StartServer, terminal: Words): Promise<KeptServer> {
  const nextWaitMs = restartWaits();
  const stopping = new AbortController();
  let server = await start();
  const { port, url } = server;
  let reason = "";
  const startAgain = async () => {
    const waitMs = nextWaitMs();
    if (reason === "") terminal.warn(`${name} ended; it starts again in ${waitMs / 1000} s.`);
    await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return;
    try {
      server = await start(port);
      if (reason !== "") terminal.say(`${name} runs again.`);
      reason = "";
    } catch (fault) {
      // A start that is retried with the same fault, such as a full disk, is reported once.
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
      await server.stop(); // One that was just being started again.
    },
  };
}

const firstWaitMs = 500;
const longestWaitMs = 30_000;
const calmMs = 60_000;

/** Growing waits between restarts: 0.5 s, doubling to 30 s, and from the start again after a calm minute. */
export function restartWaits(now: () => number = () => performance.now()): () => number {
  let lastAt = -Infinity;
  let waitMs = firstWaitMs;
  return () => {
    waitMs = now() - lastAt > calmMs + waitMs ? firstWaitMs : Math.min(waitMs * 2, longestWaitMs);
    lastAt = now();
    return waitMs;
  };
}

/** Asks a server for a sign of life; rejects or never settles if there is none. */
export type ServerProbe = { ask: () => Promise<unknown>; close: () => void };

const limitMs = 5_000;
/** `SSLRequest` (https://www.postgresql.org/docs/current/protocol-message-formats.html): answered before any login. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The postmaster must take a connection and start a process for it: the whole way of a new session but its login. */
export function probePostgres(port: number): ServerProbe {
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connectTo(port, "127.0.0.1", () => socket.write(sslRequest));
      socket.setTimeout(limitMs, () => socket.destroy(new Error("no answer")));
      socket.once("data", () => socket.destroy());
      socket.once("error", reject);
      socket.once("close", () => (socket.bytesRead > 0 ? resolve() : reject(new Error("no answer"))));
    });
  return { ask, close: () => {} };
}

/** JetStream must answer: a server whose disk was full may hold its connections and never store anything again. */
export function probeNats(url: string): ServerProbe {
  const { username, password, host } = new URL(url);
  const access = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {};
  let connection: NatsConnection | undefined;
  return {
    async ask() {
      connection ??= await connect({ servers: host, ...access, name: "npm start", reconnect: false, timeout: limitMs });
      try {
        await connection.request("$JS.API.INFO", undefined, { timeout: limitMs });
      } catch (fault) {
        void connection?.close().catch(() => {});
        connection = undefined;
        throw fault;
      }
    },
    close: () => void connection?.close().catch(() => {}),
  };
}

/** Ends a server at once, with the processes it started: one that was stopped would hold its files for ever. */
export function killServer(pid: number): void {
  for (const each of [pid, ...startedBy(pid)]) {
    try {
      process.kill(each, "SIGKILL");
    } catch {
      // It ended in this instant.
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
