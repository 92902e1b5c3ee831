import type { Bus } from "@sonde/kit/bus/connect";
import type { Clock } from "@sonde/kit/time/clock";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { Config } from "./config.ts";
import { createBodies } from "./report/bodies.ts";
import { publishFullness } from "./report/fullness.ts";
import { createHeavyWork } from "./report/heavy.ts";
import { watchPressure } from "./report/pressure.ts";
import { createPublisher } from "./report/publisher.ts";
import { createCache } from "@sonde/kit/cache";
import { createRate } from "./report/rate.ts";
import type { IntakeContext } from "./report/report.ts";
import type { KnownSkew } from "./report/skew.ts";

/** A minute and address. Guessing 256 bits is hopeless, but each guess costs a question to the database. */
const refusedRegistrations = 30;
/** The clock of an agent beyond these is measured again when it reports. */
const mostSkews = 100_000;
const dayMs = 24 * 3_600_000;

/** What taking reports in needs. */
export function startIntake(bus: Bus, clock: Clock, config: Config): IntakeContext & Service {
  const pressure = watchPressure(bus);
  const publisher = createPublisher(bus);
  const fullness = publishFullness(bus);
  return {
    clock,
    pressure,
    publisher,
    rate: createRate(clock, config.AGENT_REPORTS_PER_MINUTE, "At most {max} reports a minute"),
    refusals: createRate(clock, refusedRegistrations, "Too many requests, please try again later"),
    heavy: createHeavyWork(),
    bodies: createBodies(),
    fullness,
    skews: createCache<number, KnownSkew>({ most: mostSkews }),
    minIntervalSeconds: config.AGENT_MIN_INTERVAL_SECONDS,
    keptMs: (config.RETENTION_RAW_DAYS - 1) * dayMs,
    async stop() {
      pressure.stop();
      await fullness.stop();
      await publisher.stop();
    },
  };
}
