import { healthContract } from "@sonde/proto/rpc/health";
import type { Contract } from "@sonde/proto/rpc/contract";
import type { ServiceName } from "@sonde/proto/services";
import { type Bus, type BusOptions, connectBus } from "../bus/connect.ts";
import { type Handlers, serve } from "../bus/rpc.ts";
import { systemClock, type TimerClock } from "../time/clock.ts";
import { trustAuthorities } from "./authorities.ts";
import type { CommonConfig } from "./config.ts";
import type { Service } from "./lifecycle.ts";
import { createLog, type Log } from "./log.ts";
import { type ReadinessCheck, openOpsPort, readiness } from "./ops-port.ts";
import { scrapedGauge } from "../telemetry/metrics.ts";

const ready = scrapedGauge("sonde_ready", "1 while a readiness check passes, else 0", ["service", "check"]);

export type ServicePart = { stop(): unknown };

export type Foundation = {
  name: ServiceName;
  log: Log;
  clock: TimerClock;
  /** Runs under `npm start`. */
  isLocal: boolean;
  /** Waits until NATS is up. Adds a readiness check and serves the health method. */
  connectBus(): Promise<Bus>;
  /** Maps database outages to `unavailable`. */
  serve<S extends Contract>(bus: Bus, description: S, handlers: Handlers<S>, scope?: string): Promise<void>;
  /** Registers a part to stop at the end. */
  use<Given extends ServicePart>(part: Given): Given;
  /** Maps errors of verbs for their callers. */
  explain(how: (thrown: unknown) => unknown): void;
  check(name: string, holds: ReadinessCheck): void;
};

export type ServiceOptions<Own extends object> = {
  name: ServiceName;
  /** `CA_FILE` is for services that connect to the outside. */
  config: CommonConfig & { CA_FILE?: readonly string[] | undefined };
  user?: string;
  /** By default over TCP to `NATS_URL`. */
  connect?: BusOptions["connect"];
  logFields?: Record<string, string>;
  /**
   * For services that users or agents connect to. All replicas share bus and database, so if either is unavailable,
   * none would be left to answer requests that need neither, or to report the error.
   */
  staysReady?: boolean;
  /** Starts the parts in order of dependency; the one that accepts work comes last. */
  build(service: Foundation): Promise<Own | void>;
};

/**
 * Ready when `build` has finished and while every check passes; with `staysReady`, it then stays ready. `stop` stops
 * the parts in reverse order: accepted work is finished, and bus and database close last. If `build` fails, the started
 * parts are stopped.
 */
export async function startService<Own extends object = object>(options: ServiceOptions<Own>): Promise<Service & Own> {
  const { name, user, connect, config, logFields = {}, staysReady, build } = options;
  const log = createLog(name, config.LOG_LEVEL).child(logFields);
  if (config.CA_FILE !== undefined) trustAuthorities(config.CA_FILE);
  const parts: ServicePart[] = [];
  let started = false;
  let explain = (thrown: unknown) => thrown;
  const checks: Record<string, ReadinessCheck> = { started: () => started };
  const conditions = async () =>
    Object.entries(await readiness(checks)).map(([check, holds]) => ({ name: check, holds }));
  const stopReporting = ready(async () =>
    (await conditions()).map(({ name: check, holds }) => ({ labels: { service: name, check }, value: holds ? 1 : 0 })),
  );
  // First, so that a process waiting for its servers is seen to be alive.
  const ops = await openOpsPort({ port: config.OPS_PORT, checks, staysReady, log });

  const use = <Given extends ServicePart>(part: Given): Given => {
    parts.push(part);
    return part;
  };
  const stop = async () => {
    started = false;
    ops.drain();
    const errors: unknown[] = [];
    for (const part of parts.splice(0).reverse()) {
      try {
        await part.stop();
      } catch (error) {
        errors.push(error); // Stop the other parts anyway.
      }
    }
    stopReporting();
    await ops.stop();
    if (errors.length > 0) throw new AggregateError(errors, errors.map(String).join("; "));
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
        // The disk is shared with everything else.
        const shrink = config.SONDE_LOCAL ? 4 : 1;
        const bus = await connectBus({
          url: config.NATS_URL,
          name,
          user,
          connect,
          // A remote runner does not know the limits of the streams.
          streams: connect && [],
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
  } catch (error) {
    await stop().catch(() => {}); // The startup error is more useful.
    throw error;
  }
}
