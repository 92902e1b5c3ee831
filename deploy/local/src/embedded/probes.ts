import { readFileSync } from "node:fs";
import { connect as connectTo } from "node:net";
import { connect, type NatsConnection } from "@nats-io/transport-node";

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
