import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** What became of requests, those that failed in words. */
export interface RequestLog {
  answered: number;
  failures: string[];
}

export interface RequestLoad {
  fresh: RequestLog;
  kept: RequestLog;
  stop(): Promise<void>;
}

export interface RequestOptions {
  url: string;
  token: string;
  /** Waits between two requests of one client. */
  pauseMs?: number;
  clients?: number;
}

const [answerTimeoutMs, maxFailures] = [15_000, 1000];
/** Of every service that answers the gateway. */
const paths = [
  "/api/auth/me",
  "/api/users",
  "/api/monitors?pageSize=5",
  "/api/agents?pageSize=5",
  "/api/incidents?pageSize=5",
  "/api/notifications/channels",
  "/api/status/config",
  "/api/status",
];

/**
 * Clients that ask one question after the other, half of them over a new connection each time, half over one that they
 * keep. Nothing is tried twice: whatever is no success is a failure.
 */
export function startRequests({ url, token, pauseMs = 100, clients = 2 }: RequestOptions): RequestLoad {
  const logs = { fresh: { answered: 0, failures: [] }, kept: { answered: 0, failures: [] } } as {
    fresh: RequestLog;
    kept: RequestLog;
  };
  let stopping = false;
  const loop = async (log: RequestLog, keepAlive: boolean, client: number) => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    for (let turn = client; !stopping; turn++) {
      const path = paths[turn % paths.length] ?? "/";
      const failure = await ask(agent, url + path, token);
      if (failure === null) log.answered++;
      else if (log.failures.length < maxFailures) log.failures.push(`${new Date().toISOString()} ${path}: ${failure}`);
      await sleep(pauseMs);
    }
    agent.destroy();
  };
  const loops = Array.from({ length: clients }, (_, client) => [
    loop(logs.fresh, false, client),
    loop(logs.kept, true, client),
  ]).flat();
  return {
    ...logs,
    async stop() {
      stopping = true;
      await Promise.all(loops);
    },
  };
}

/** null, or why it failed. */
function ask(agent: Agent, url: string, token: string): Promise<string | null> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(url, { agent, headers, timeout: answerTimeoutMs }, (response) => {
      response.resume();
      response.once("error", (fault) => resolve(fault.message));
      response.once("end", () => resolve(response.statusCode === 200 ? null : `status ${response.statusCode}`));
    });
    sent.once("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.once("error", (fault: NodeJS.ErrnoException) =>
      resolve(`${fault.code ?? fault.message}${sent.reusedSocket ? " on a kept connection" : ""}`),
    );
    sent.end();
  });
}
