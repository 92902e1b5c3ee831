import type { Client } from "@sonde/kit/bus/rpc";
import type { PatternChecker } from "@sonde/kit/patterns/checker";
import type { Database } from "@sonde/kit/postgres/database";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { metricsContract } from "@sonde/proto/rpc/metrics";
import type { probesContract } from "@sonde/proto/rpc/probes";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Locations, UnservedLocations } from "./locations/locations.ts";
import type { CountSlots, SlotReader } from "./slos/slots.ts";
import type { RuleContext } from "./monitors/rules.ts";
import type { RemoteRunners } from "./runners/connections.ts";
import type { LiveMonitors } from "./state/live.ts";

export type Context = RuleContext & {
  db: Database;
  clock: TimerClock;
  live: LiveMonitors;
  locations: Locations;
  maintenance: MaintenanceWatch;
  patterns: PatternChecker;
  runners: RemoteRunners;
  unserved: UnservedLocations;
  opinions: { look(): Promise<void> };
  probes: Pick<Client<typeof probesContract>, "runCheck">;
  slots: SlotReader;
  countSlots: CountSlots;
  findCauses(): Promise<void>;
  checksAroundFailures: Client<typeof metricsContract>["checksAroundFailures"];
  /** Signals new outbox rows. */
  nudge(): void;
  /** Sends the outbox and reloads the monitor after a commit. */
  committed(monitorId: number, revision: number): void;
};
