import type { Client } from "@sonde/kit/bus/rpc";
import type { Database } from "@sonde/kit/postgres/database";
import type { Clock } from "@sonde/kit/time/clock";
import type { healthContract } from "@sonde/proto/rpc/health";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import { type ServiceName, serviceNames } from "@sonde/proto/services";
import { countStuck } from "./stuck-store.ts";

/** Why the outside address is not called. Of names there are few: they are labels of a metric. */
export type SelfWatchFault = { name: ServiceName | "locations" | "checks" | "deliveries"; detail: string };

/** The services that the self-watch queries. */
export type SelfWatchSources = {
  db: Database;
  clock: Clock;
  health: (service: ServiceName) => Pick<Client<typeof healthContract>, "check">;
  monitors: Pick<Client<typeof monitorsContract>, "listLocations" | "summary">;
};

/** Of several replicas any may answer, and one that starts or drains is no trouble. */
const attempts = 3;

/**
 * Why Sonde as a whole does not work; empty if it does: every service is ready (with its database, the bus and, for
 * metrics, ClickHouse), each location that monitors name has a runner, results arrive, alerts are sent. This check
 * itself shows that the notifier, its database and the bus work.
 */
export async function findReasons(watched: SelfWatchSources): Promise<SelfWatchFault[]> {
  const others = serviceNames.filter((name) => name !== "notifier");
  const found = await Promise.all([
    ...others.map((name) => findUnready(watched, name)),
    findUnwatched(watched),
    findSilence(watched),
    findStuck(watched),
  ]);
  return found.flatMap((reason) => reason ?? []);
}

async function findUnready({ health }: SelfWatchSources, name: ServiceName): Promise<SelfWatchFault | null> {
  let detail = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const answer = await health(name)
      .check({})
      .catch(() => null);
    if (answer === null) return { name, detail: `${name} does not answer` };
    const missing = answer.conditions.filter(({ holds }) => !holds).map((condition) => condition.name);
    if (missing.length === 0) return null;
    detail = `${name} is not ready: ${missing.join(", ")}`;
  }
  return { name, detail };
}

async function findUnwatched({ monitors }: SelfWatchSources): Promise<SelfWatchFault | null> {
  const answer = await monitors.listLocations({}).catch(() => null);
  if (answer === null) return { name: "locations", detail: "monitors does not tell its locations" };
  const missing = answer.locations.filter(({ runners }) => runners === 0).map(({ name }) => name);
  return missing.length === 0 ? null : { name: "locations", detail: `no probe runner at ${missing.join(", ")}` };
}

/** A single monitor may miss its slots for its own reasons; half of them do not. */
async function findSilence({ monitors }: SelfWatchSources): Promise<SelfWatchFault | null> {
  const answer = await monitors.summary({}).catch(() => null);
  if (answer === null) return { name: "checks", detail: "monitors does not tell its counts" };
  const { active, stale } = answer.counts;
  const isSilent = stale > 0 && stale >= active / 2;
  return isSilent ? { name: "checks", detail: `${stale} of ${active} active monitors missed three checks` } : null;
}

async function findStuck({ db, clock }: SelfWatchSources): Promise<SelfWatchFault | null> {
  const stuck = await countStuck(db, clock.now());
  return stuck === 0 ? null : { name: "deliveries", detail: `${stuck} messages are due and nobody sends them` };
}
