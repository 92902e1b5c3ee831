import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import { silentLog } from "@sonde/kit/service/log";
import type { FakeClock } from "@sonde/kit/time/clock";
import { SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { migrations } from "../../migrations/index.ts";
import { insertAgent } from "../agents/store.ts";
import { keyProjections } from "../keys/store.ts";
import { startLive } from "../state/live.ts";
import type { SamplesOwnerContext } from "../state/partition.ts";
import { defaultLimits } from "../state/thresholds.ts";
import { collectEvents } from "./facts.ts";
import { openTestbed } from "./service.ts";

export type SamplesPartitionBed = Awaited<ReturnType<typeof openPartitionBed>>;

/** The context of a partition's owner, without a service. */
export async function openPartitionBed(databaseUrl: string) {
  const bed = await openTestbed(databaseUrl);
  const options = { url: databaseUrl, schema: bed.schema, migrations, log: silentLog };
  /** Tests use snake_case columns; `serviceDb` uses camelCase like the service. */
  const db: Database = await openDatabase(options);
  const serviceDb: Database = await openDatabase({ ...options, camelCase: true });
  const { bus } = bed;
  const events = collectEvents(bus);
  const relay = startRelay({ db: serviceDb, bus, log: silentLog, projections: keyProjections(serviceDb) });
  const live = startLive(bus);
  const host = { hostname: "h", ipAddresses: [], os: "", version: "", intervalMs: 10_000 };
  return {
    bus,
    db,
    serviceDb,
    events,
    context: (clock: FakeClock): SamplesOwnerContext => ({
      db: serviceDb,
      bus,
      live,
      clock,
      limits: { of: () => defaultLimits },
      takesReports: () => true,
      nudge: relay.nudge,
    }),
    addAgent: async (name: string): Promise<number> =>
      (await serviceDb.transaction((trx) => insertAgent(trx, { ...host, name }, Date.now()))).id,
    /** The agents must belong to one partition. */
    async publishOfEach(ids: readonly number[], atMs: number): Promise<void> {
      const samples = ids.map((agentId) => ({
        agentId,
        receivedAtMs: atMs,
        sample: { at: timestampFromMs(atMs), cpu: { usage: 10 } },
      }));
      const bytes = toBinary(SampleBatchSchema, create(SampleBatchSchema, { samples }));
      await bus.js.publish(subjects.samples(partitionOf(ids[0]!)), bytes);
    },
    async stop(): Promise<void> {
      live.stop();
      await relay.stop();
      await events.stop();
      await Promise.all([db.destroy(), serviceDb.destroy()]);
      await bed.stop();
    },
  };
}
