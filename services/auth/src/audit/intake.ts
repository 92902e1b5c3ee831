import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { putAside } from "@sonde/kit/bus/dead-letters";
import { pullDurable, type PulledMessage } from "@sonde/kit/bus/durable";
import { isDatabaseAway } from "@sonde/kit/postgres/database";
import type { Service } from "@sonde/kit/service/lifecycle";
import { counter } from "@sonde/kit/telemetry/metrics";
import { EntrySchema } from "@sonde/proto/gen/audit/v1/audit";
import { streams } from "@sonde/proto/streams";
import type { AuthStore } from "../context.ts";

const stored = counter("sonde_auth_audit_entries_total", "Entries of the audit that were taken from the bus");
const stream = streams.audit.name;

/** Stores what the other services send of the audit. What cannot be stored while PostgreSQL is away comes again. */
export function startAuditIntake(bus: Bus, { audit }: Pick<AuthStore, "audit">): Service {
  const underway = new Set<Promise<void>>();

  const take = async (message: PulledMessage) => {
    try {
      await audit.insert(fromBinary(EntrySchema, message.data));
      stored.inc();
    } catch (error) {
      if (isDatabaseAway(error)) return;
      const reason = error instanceof Error ? error.message : String(error);
      await putAside(bus, { stream, service: "auth", reason, message });
    }
    message.ack();
  };

  const pulling = pullDurable(bus, {
    stream,
    durable: "auth",
    room: async () => void (await Promise.all(underway)),
    onMessage: (message) => {
      const work = take(message).catch((err: unknown) => bus.log.error({ err }, "storing a dead letter failed"));
      underway.add(work);
      void work.finally(() => underway.delete(work));
    },
  });
  return {
    stop: async () => {
      await pulling.stop();
      await Promise.all(underway);
    },
  };
}
