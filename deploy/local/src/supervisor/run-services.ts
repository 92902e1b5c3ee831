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

/** What the services need to run. */
export type Stage = {
  config: Config;
  /** Common to all services; each gets its own URLs of the bus and the database, and its own keys, beside it. */
  environment: NodeJS.ProcessEnv;
  keys: ServiceKeys;
  servers: Pick<Servers, "natsUrls" | "databaseUrls">;
  terminal: Terminal;
  /** Where to read more about a process that takes long. */
  slowHint: string;
  onStarted: (name: string, pid: number) => void;
  /** Settles as the step does; rejects as soon as a stop is requested. */
  orStopped: <T>(step: Promise<T>) => Promise<T>;
};

/** `ready` resolves to the addresses that a person opens. */
export type RunningServices = {
  ready: Promise<string[]>;
  /** The processes that are watched here. */
  processes?: () => ReadonlyMap<ProcessName, Pick<Child, "isUp" | "metrics">>;
  stop: () => Promise<void>;
  kill: () => void;
};
export type RunServices = (stage: Stage) => RunningServices;

const firstReminderMs = 10_000;
const longestReminderMs = 300_000;

/** The services of `npm start`: three processes, started again when they die. */
export function runThreeProcesses(stage: Stage): RunningServices {
  const { config, environment, keys, servers, terminal, slowHint, onStarted, orStopped } = stage;
  const children = new Map<ProcessName, Child>();
  const waitingFor = new Set<string>();
  let reminder: NodeJS.Timeout;
  // After 10, 20, 40 … s: a server that never comes is not named a thousand times.
  const remindAfter = (waitMs: number) => {
    reminder = setTimeout(() => {
      if (waitingFor.size > 0) terminal.warn(`Still waiting for ${[...waitingFor].join(", ")}; ${slowHint}`);
      remindAfter(Math.min(waitMs * 2, longestReminderMs));
    }, waitMs);
  };
  remindAfter(firstReminderMs);

  const whileWaiting = async (name: string, step: Promise<void> | undefined) => {
    waitingFor.add(name);
    await step;
    waitingFor.delete(name);
  };
  const start = async () => {
    // The bus is up in an instant and the database takes a second to make: processes without a database begin before it.
    const nats = await orStopped(servers.natsUrls);
    terminal.say("Starting the services …");
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
    others.catch(() => {}); // Awaited below, wherever the start is by then.
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
