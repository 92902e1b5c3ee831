import type { Client } from "@sonde/kit/bus/rpc";
import type { PatternChecker } from "@sonde/kit/patterns/checker";
import type { Database } from "@sonde/kit/postgres/database";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { probesContract } from "@sonde/proto/rpc/probes";
import type { Locations, UnservedLocations } from "./locations/locations.ts";
import type { RuleContext } from "./monitors/rules.ts";
import type { LiveMonitors } from "./state/live.ts";

/** What verbs take. */
export type Context = RuleContext & {
  db: Database;
  clock: TimerClock;
  live: LiveMonitors;
  locations: Locations;
  /** Regular expressions, off the loop. */
  patterns: PatternChecker;
  unserved: UnservedLocations;
  opinions: { look(): Promise<void> };
  probes: Client<typeof probesContract>;
  /** The outbox has something. */
  nudge(): void;
  /** A change was committed: the outbox has something, and this monitor reads differently. */
  committed(monitorId: number, revision: number): void;
};
