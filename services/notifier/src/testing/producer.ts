import type { PrecedingSources } from "../incidents/preceding.ts";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { type Handlers, serve } from "@sonde/kit/bus/rpc";
import { type Database, openDatabase } from "@sonde/kit/postgres/database";
import { enqueueEvent, listEventPage, outboxMigration } from "@sonde/kit/postgres/outbox";
import { startRelay } from "@sonde/kit/postgres/outbox-relay";
import type { Service } from "@sonde/kit/service/lifecycle";
import { silentLog } from "@sonde/kit/service/log";
import type { EventSchema, IncidentSchema, TargetFactsSchema } from "@sonde/proto/gen/events/v1/events";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import type { IncidentProducer } from "@sonde/proto/http/incidents/incidents";
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { uniqueSchema } from "./rows.ts";

type ProducedChange = {
  change?: string;
  atMs?: number;
  quiet?: boolean;
  incident?: MessageInitShape<typeof IncidentSchema>;
  facts?: MessageInitShape<typeof TargetFactsSchema>;
};

/** Like monitors and agent-ingest: events are rows, published through an outbox and listed over the bus. */
export type Producer = Service & {
  bus: Bus;
  /** Commits a change of incident `m<id>` of monitor `id`, and publishes it unless `silently`. */
  commit(id: number, given?: ProducedChange, silently?: boolean): Promise<void>;
  commitEvent(event: MessageInitShape<typeof EventSchema>, silently?: boolean): Promise<void>;
  published(): Promise<void>;
  readCount(): number;
};

export async function startProducer(natsUrl: string, name: IncidentProducer = "monitors"): Promise<Producer> {
  const db: Database = await openDatabase({
    url: inject("databaseUrl"),
    schema: uniqueSchema(),
    migrations: { "000-outbox": outboxMigration },
    log: silentLog,
  });
  const bus = await connectBus({ url: natsUrl, name: "test", log: silentLog, shrink: 4 });
  const relay = startRelay({ db, bus, log: silentLog, projections: {} });
  let readCount = 0;
  const handlers: Pick<Handlers<typeof incidentsContract>, "listEvents"> = {
    listEvents: async ({ sinceMs, limit, afterId }) => {
      readCount++;
      const { events, more } = await listEventPage(db, Math.ceil(sinceMs), limit, afterId);
      return { events: events.map((bytes) => bytes.toString("base64")), more };
    },
  };
  const served = await serve(bus, incidentsContract, handlers as Handlers<typeof incidentsContract>, { scope: name });

  const commitEvent: Producer["commitEvent"] = async (event, silently = false) => {
    await db.transaction(async (trx) => {
      await enqueueEvent(trx, event);
      if (silently) await trx("outbox").delete();
    });
    relay.nudge();
  };
  return {
    bus,
    commitEvent,
    async commit(id, { change = "opened", atMs = Date.now(), quiet, incident, facts } = {}, silently) {
      const isOver = change === "closed";
      const value = {
        change,
        quiet,
        facts: { target: `https://${id}.test/`, intervalMs: 60_000, ...facts },
        incident: {
          id: `m${id}`,
          targetType: "monitor",
          targetId: id,
          targetName: `monitor ${id}`,
          kind: "down",
          cause: "Timed out",
          openedAtMs: atMs,
          ...(isOver ? { closedAtMs: atMs, resolution: "recovered" } : {}),
          ...incident,
        },
      };
      await commitEvent({ id: randomUUID(), atMs, fact: { case: "incident", value } }, silently);
    },
    published: relay.drained,
    readCount: () => readCount,
    async stop() {
      await served.stop();
      await relay.stop();
      await bus.close();
      await db.destroy();
    },
  };
}

/** For incidents that nothing preceded. */
export const nothingBefore: PrecedingSources = {
  audit: { listEdits: async () => ({ edits: [] }) },
  changesFor: async () => [],
  maintenanceOf: () => [],
};
