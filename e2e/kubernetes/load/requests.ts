import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export interface RequestLog {
  answered: number;
  failures: string[];
}

export interface RequestLoad {
  fresh: RequestLog;
  reused: RequestLog;
  stop(): Promise<void>;
}

export interface RequestOptions {
  url: string;
  token: string;
  /** Pause between two requests of one client. */
  pauseMs?: number;
  clients?: number;
}

const [answerTimeoutMs, maxFailures] = [15_000, 1000];
/** One path per service behind the gateway. */
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

/** Half of the clients use new connections, half a keep-alive connection. Everything but a 200 is a failure. */
export function startRequests({ url, token, pauseMs = 100, clients = 2 }: RequestOptions): RequestLoad {
  const logs = { fresh: { answered: 0, failures: [] }, reused: { answered: 0, failures: [] } } as {
    fresh: RequestLog;
    reused: RequestLog;
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
    loop(logs.reused, true, client),
  ]).flat();
  return {
    ...logs,
    async stop() {
      stopping = true;
      await Promise.all(loops);
    },
  };
}

function ask(agent: Agent, url: string, token: string): Promise<string | null> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(url, { agent, headers, timeout: answerTimeoutMs }, (response) => {
      response.resume();
      response.once("error", (error) => resolve(error.message));
      response.once("end", () => resolve(response.statusCode === 200 ? null : `status ${response.statusCode}`));
    });
    sent.once("timeout", () => sent.destroy(new Error("no response in time")));
    sent.once("error", (error: NodeJS.ErrnoException) =>
      resolve(`${error.code ?? error.message}${sent.reusedSocket ? " on a keep-alive connection" : ""}`),
    );
    sent.end();
  });
}
