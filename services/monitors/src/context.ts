import type { Client } from "@sonde/kit/bus/rpc";
import type { PatternChecker } from "@sonde/kit/patterns/checker";
import type { Database } from "@sonde/kit/postgres/database";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { probesContract } from "@sonde/proto/rpc/probes";
import type { Locations, UnservedLocations } from "./locations/locations.ts";
import type { RuleContext } from "./monitors/rules.ts";
import type { LiveMonitors } from "./state/live.ts";

export type Context = RuleContext & {
  db: Database;
  clock: TimerClock;
  live: LiveMonitors;
  locations: Locations;
  patterns: PatternChecker;
  unserved: UnservedLocations;
  opinions: { look(): Promise<void> };
  probes: Client<typeof probesContract>;
  /** Signals new outbox rows. */
  nudge(): void;
  /** Sends the outbox and reloads the monitor after a commit. */
  committed(monitorId: number, revision: number): void;
};
