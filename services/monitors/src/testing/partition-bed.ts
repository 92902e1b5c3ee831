import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { connectBus } from "@sonde/kit/bus/connect";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { type Clock, systemClock } from "@sonde/kit/time/clock";
import { startNats } from "@sonde/embedded/nats";
import { CheckResultSchema, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { Confirm } from "@sonde/proto/http/monitors/monitors";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { migrations } from "../../migrations/index.ts";
import { writeMonitor } from "../monitors/monitors.ts";
import type { Definition } from "../monitors/monitor.ts";
import { type LiveMonitors, startLive } from "../state/live.ts";
import { openPartition, type ResultsPartition } from "../state/partition.ts";
import { createSilentLocations } from "../state/silent-locations.ts";
import { definition } from "./definition.ts";
import { type ResultFields, uniqueSchema } from "./service.ts";

export type ResultsPartitionBed = Awaited<ReturnType<typeof openPartitionBed>>;

export async function openPartitionBed(databaseUrl: string) {
  const nats = await startNats();
  const bus = await connectBus({ url: nats.url, name: "partitions", log: silentLog, shrink: 4 });
  const db = await openDatabase({
    url: databaseUrl,
    schema: uniqueSchema(),
    migrations,
    log: silentLog,
    camelCase: true,
  });
  const opened = new Set<ReturnType<typeof ownersOf>>();
  const owners = (clock: Clock = systemClock, locations: LocationsOfOwners = servedLocations) =>
    ownersOf({ db, bus, clock, live: startLive(bus, clock), locations });
  return {
    bus,
    db,
    add: (given: Partial<Definition> = {}, atMs = Date.now()) =>
      db.transaction((trx) => writeMonitor(trx, null, { ...definition, ...given }, false, atMs)),
    /** Owners that share a clock and stop together. */
    owners,
    /** One owner of a monitor's partition, with its own figures in memory. */
    open: async (id: number, clock?: Clock) => {
      const all = owners(clock);
      opened.add(all);
      const stop = () => (opened.delete(all), all.stop());
      return { live: all.live, owner: await all.own(id), stop };
    },
    stopOpened: async () => {
      await Promise.all([...opened].map((all) => all.stop()));
      opened.clear();
    },
    /** The results must belong to one partition. */
    publish: (...results: ResultFields[]) => {
      const created = results.map((result) => create(CheckResultSchema, { location: "default", ...result }));
      const batch = {
        results: created.filter(({ confirms }) => confirms === undefined),
        opinions: created.filter(({ confirms }) => confirms !== undefined),
      };
      const { monitorId = 0, location = "default" } = results[0] ?? {};
      const subject = subjects.results(partitionOf(monitorId), location);
      return bus.js.publish(subject, toBinary(ResultBatchSchema, create(ResultBatchSchema, batch)));
    },
    /** The last part of the ids of a monitor's events, in order of time: created, down, opened … */
    eventKinds: async (id: number) => {
      const ids = await db("events").where("id", "like", `m${id}:%:%`).orderBy("at_ms").pluck<string[]>("id");
      return ids.map((name) => name.split(":").at(-1) ?? "");
    },
    incidentEvents: async (id: number) => {
      const rows = await db("events").orderBy(["at_ms", "id"]).pluck<Buffer[]>("bytes");
      return rows.flatMap((bytes) => {
        const { fact } = fromBinary(EventSchema, bytes);
        return fact.case === "incident" && fact.value.incident?.targetId === id ? [fact.value] : [];
      });
    },
    stop: async () => {
      await db.destroy();
      await bus.close();
      await nats.stop();
    },
  };
}

type LocationsOfOwners = Parameters<typeof createSilentLocations>[0]["locations"];
/** Every location has always been served. */
const servedLocations: LocationsOfOwners = { servedSinceMs: () => 0, runners: () => 1, trouble: () => undefined };

function ownersOf({
  locations,
  ...ctx
}: Pick<Parameters<typeof openPartition>[0], "db" | "bus" | "clock"> & {
  live: LiveMonitors;
  locations: LocationsOfOwners;
}) {
  const open = new Set<ResultsPartition>();
  const silentLocations = createSilentLocations({ ...ctx, locations });
  return {
    live: ctx.live,
    silentLocations,
    own: async (id: number): Promise<ResultsPartition> => {
      const opinions = {
        of: ({ confirm }: { confirm: Confirm | null }) => confirm,
        look: async () => {},
        ask: () => {},
      };
      const owner = await openPartition(
        { ...ctx, opinions, silentLocations, nudge: () => {}, onFutureResult: () => {} },
        partitionOf(id),
      );
      open.add(owner);
      return owner;
    },
    stop: async () => {
      await Promise.all([...open].map((owner) => owner.stop()));
      ctx.live.stop();
    },
  };
}
