import type { ServiceKeys } from "@sonde/kit/secret-keys";
import { type Children, startChildren } from "./children.ts";
import type { Config } from "./config.ts";
import type { Servers } from "./embedded-servers.ts";
import { localAddress } from "./listening.ts";
import { needsDatabase, type ProcessName, processNames, servicesOf } from "./processes.ts";
import { type DatabaseUrls, processEnvironment } from "./service-urls.ts";
import type { Terminal } from "./terminal.ts";

/** What the services need to run. */
export type Stage = {
  config: Config;
  /** Common to all services; each gets its own URLs of the bus and the database, and its own keys, beside it. */
  environment: NodeJS.ProcessEnv;
  keys: ServiceKeys;
  servers: Pick<Servers, "natsUrls" | "databaseUrls">;
  terminal: Terminal;
  /** Where more is told about a process that takes long. */
  slowHint: string;
  onStarted: (name: string, pid: number) => void;
  /** Settles as the step does; rejects as soon as somebody asks to stop. */
  orStopped: <T>(step: Promise<T>) => Promise<T>;
};

/** `ready` answers the address that a person opens. */
export type Services = {
  ready: Promise<string>;
  /** The processes that are watched here. */
  processes?: Children["all"];
  stop: () => Promise<void>;
  kill: () => void;
};
export type RunServices = (stage: Stage) => Services;

/** The services of `npm start`: three processes, started again when they die. */
export function runThreeProcesses({
  config,
  environment,
  keys,
  servers,
  terminal,
  slowHint,
  onStarted,
  orStopped,
}: Stage): Services {
  const children = startChildren(terminal, slowHint, onStarted);
  const start = async () => {
    // The bus is up in an instant and the database takes a second to make: who needs no database begins before it.
    const nats = await orStopped(servers.natsUrls);
    terminal.say("Starting the services …");
    const begin = (names: readonly ProcessName[], database?: DatabaseUrls) =>
      Promise.all(
        names.map((name) =>
          children.begin([name], processEnvironment(environment, servicesOf(name), { nats, database, keys })),
        ),
      );
    const others = begin(processNames.filter((name) => !needsDatabase(name)));
    others.catch(() => {}); // Heard of below, wherever the start is by then.
    const database = await orStopped(Promise.race([servers.databaseUrls, others.then(() => servers.databaseUrls)]));
    await orStopped(Promise.all([others, begin(processNames.filter(needsDatabase), database)]));
    await orStopped(children.open());
    return localAddress(config.HOST, config.PORT);
  };
  return { ready: start(), processes: children.all, stop: children.stop, kill: children.kill };
}
