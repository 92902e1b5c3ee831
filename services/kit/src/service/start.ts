import { healthContract } from "@sonde/proto/rpc/health";
import type { Contract } from "@sonde/proto/rpc/contract";
import type { ServiceName } from "@sonde/proto/services";
import { type Bus, connectBus } from "../bus/connect.ts";
import { type Handlers, serve } from "../bus/rpc.ts";
import { systemClock, type TimerClock } from "../time/clock.ts";
import { trustAuthorities } from "./authorities.ts";
import type { CommonConfig } from "./config.ts";
import type { Service } from "./lifecycle.ts";
import { createLog, type Log } from "./log.ts";
import { type ReadinessCheck, openOpsPort, readiness } from "./ops-port.ts";
import { scrapedGauge } from "../telemetry/metrics.ts";

const ready = scrapedGauge("sonde_ready", "1 while a readiness check passes, else 0", ["service", "check"]);

/** Something that runs until it is stopped. */
export type ServicePart = { stop(): unknown };

/** What a service is built on. */
export type Foundation = {
  name: ServiceName;
  log: Log;
  clock: TimerClock;
  /** Whether a person runs it by `npm start`. */
  isLocal: boolean;
  /** Connects to NATS as this service, waiting for it. Ready while it is connected, and asked there for its health. */
  connectBus(): Promise<Bus>;
  /** Serves the calls of a service; `scope` as `serve` takes it. Errors of the database are answered as `unavailable`. */
  serve<S extends Contract>(bus: Bus, description: S, handlers: Handlers<S>, scope?: string): Promise<void>;
  /** A part that is to be stopped at the end. Returns the part. */
  use<Given extends ServicePart>(part: Given): Given;
  /** How errors of verbs are explained to their callers. */
  explain(how: (thrown: unknown) => unknown): void;
  /** One more condition of readiness. */
  check(name: string, holds: ReadinessCheck): void;
};

export type ServiceOptions<Own extends object> = {
  name: ServiceName;
  /** `CA_FILE`: of a service that dials outside. */
  config: CommonConfig & { CA_FILE?: readonly string[] | undefined };
  /** Its user on the bus where that is not its name. */
  user?: string;
  /** Fields of each of its log lines. */
  logFields?: Record<string, string>;
  /**
   * For services that users or agents connect to: once ready they stay so until they drain. Bus and database are the
   * same for all replicas, so with either unavailable none would be left to answer requests that need neither, or to
   * report the fault.
   */
  staysReady?: boolean;
  /** Starts the parts in order of need; what takes work in comes last. Its answer is part of the service. */
  build(service: Foundation): Promise<Own | void>;
};

/**
 * Starts a service: log, ops port, then the parts that `build` starts. It is ready once that is done and while every
 * check passes; with `staysReady`, from then on until it stops. `stop` marks it as not ready and stops the parts in
 * reverse order, so that no more work is accepted, accepted work is finished, and bus and database close last. If
 * `build` fails, the parts it started are stopped.
 */
export async function startService<Own extends object = object>(options: ServiceOptions<Own>): Promise<Service & Own> {
  const { name, user, config, logFields = {}, staysReady, build } = options;
  const log = createLog(name, config.LOG_LEVEL).child(logFields);
  if (config.CA_FILE !== undefined) trustAuthorities(config.CA_FILE);
  const parts: ServicePart[] = [];
  let started = false;
  let explain = (thrown: unknown) => thrown;
  const checks: Record<string, ReadinessCheck> = { started: () => started };
  const conditions = async () =>
    Object.entries(await readiness(checks)).map(([check, holds]) => ({ name: check, holds }));
  const stopTelling = ready(async () =>
    (await conditions()).map(({ name: check, holds }) => ({ labels: { service: name, check }, value: holds ? 1 : 0 })),
  );
  // Before the rest, so that a process that waits for its servers is seen to live.
  const ops = await openOpsPort({ port: config.OPS_PORT, checks, staysReady, log });

  const use = <Given extends ServicePart>(part: Given): Given => {
    parts.push(part);
    return part;
  };
  const stop = async () => {
    started = false;
    ops.drain();
    const faults: unknown[] = [];
    for (const part of parts.splice(0).reverse()) {
      try {
        await part.stop();
      } catch (fault) {
        faults.push(fault); // The others must be stopped all the same.
      }
    }
    stopTelling();
    await ops.stop();
    if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join("; "));
  };
  try {
    const own = await build({
      name,
      log,
      clock: systemClock,
      isLocal: config.SONDE_LOCAL,
      use,
      explain: (how) => void (explain = how),
      check: (label, holds) => void (checks[label] = holds),
      async connectBus() {
        checks["bus"] = () => false;
        // On one machine with everything else, streams take a fourth of the disk.
        const shrink = config.SONDE_LOCAL ? 4 : 1;
        const bus = await connectBus({
          url: config.NATS_URL,
          name,
          user,
          log,
          shrink,
          replicas: config.NATS_STREAM_REPLICAS,
        });
        use({ stop: bus.close });
        checks["bus"] = bus.connected;
        const handlers = { check: async () => ({ conditions: await conditions() }) };
        use(await serve(bus, healthContract, handlers, { scope: name, log }));
        return bus;
      },
      async serve(bus, description, handlers, scope) {
        use(await serve(bus, description, handlers, { log, scope, explain: (thrown) => explain(thrown) }));
      },
    });
    started = true;
    return { ...(own as Own), stop };
  } catch (fault) {
    await stop().catch(() => {}); // The reason why it did not start is more useful.
    throw fault;
  }
}
