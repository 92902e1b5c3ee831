import type { ServiceKeys } from "@sonde/kit/secret-keys";
import { type Child, startChild } from "./child-process.ts";
import type { Config } from "../config.ts";
import type { Servers } from "../embedded/servers.ts";
import { addressesOf } from "./listening.ts";
import {
  type DatabaseUrls,
  needsDatabase,
  processEnvironment,
  type ProcessName,
  processNames,
  servicesOf,
} from "./processes.ts";
import type { Terminal } from "../terminal.ts";

export type Stage = {
  config: Config;
  /** Common to all services. Each also gets its own bus and database URLs and its own keys. */
  environment: NodeJS.ProcessEnv;
  keys: ServiceKeys;
  servers: Pick<Servers, "natsUrls" | "databaseUrls">;
  terminal: Terminal;
  slowHint: string;
  onStarted: (name: string, pid: number) => void;
  /** Settles like `step`, but rejects as soon as a stop is requested. */
  orStopped: <T>(step: Promise<T>) => Promise<T>;
};

/** `ready` resolves to the addresses to show to the user. */
export type RunningServices = {
  ready: Promise<string[]>;
  processes?: () => ReadonlyMap<ProcessName, Pick<Child, "isUp" | "metrics">>;
  stop: () => Promise<void>;
  kill: () => void;
};
export type RunServices = (stage: Stage) => RunningServices;

const firstReminderMs = 10_000;
const maxReminderMs = 300_000;

export function runThreeProcesses(stage: Stage): RunningServices {
  const { config, environment, keys, servers, terminal, slowHint, onStarted, orStopped } = stage;
  const children = new Map<ProcessName, Child>();
  const waitingFor = new Set<string>();
  let reminder: NodeJS.Timeout;
  // After 10, 20, 40 … s.
  const remindAfter = (waitMs: number) => {
    reminder = setTimeout(() => {
      if (waitingFor.size > 0) terminal.warn(`Still waiting for ${[...waitingFor].join(", ")}; ${slowHint}`);
      remindAfter(Math.min(waitMs * 2, maxReminderMs));
    }, waitMs);
  };
  remindAfter(firstReminderMs);

  const whileWaiting = async (name: string, step: Promise<void> | undefined) => {
    waitingFor.add(name);
    await step;
    waitingFor.delete(name);
  };
  const start = async () => {
    // The bus is ready before the database, so processes without a database start first.
    const nats = await orStopped(servers.natsUrls);
    terminal.info("Starting the services …");
    const begin = (names: readonly ProcessName[], database?: DatabaseUrls) =>
      Promise.all(
        names.map((name) => {
          const own = processEnvironment(environment, servicesOf(name), { nats, database, keys });
          const child = startChild({ name, environment: own, terminal, onStarted: (pid) => onStarted(name, pid) });
          children.set(name, child);
          return whileWaiting(name, child.ready);
        }),
      );
    const others = begin(processNames.filter((name) => !needsDatabase(name)));
    others.catch(() => {}); // Awaited below.
    const database = await orStopped(Promise.race([servers.databaseUrls, others.then(() => servers.databaseUrls)]));
    await orStopped(Promise.all([others, begin(processNames.filter(needsDatabase), database)]));
    await orStopped(whileWaiting("the gateway", children.get("core")?.open()));
    return addressesOf(config);
  };
  return {
    ready: start(),
    processes: () => children,
    async stop() {
      clearTimeout(reminder);
      await Promise.all([...children.values()].map((child) => child.stop()));
    },
    kill() {
      for (const child of children.values()) child.kill();
    },
  };
}
