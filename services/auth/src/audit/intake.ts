import { fromBinary } from "@bufbuild/protobuf";
import type { Bus } from "@sonde/kit/bus/connect";
import { moveToDeadLetters } from "@sonde/kit/bus/dead-letters";
import { pullDurable, type PulledMessage } from "@sonde/kit/bus/durable";
import { isDatabaseUnavailable } from "@sonde/kit/postgres/database";
import type { Service } from "@sonde/kit/service/lifecycle";
import { counter } from "@sonde/kit/telemetry/metrics";
import { EntrySchema } from "@sonde/proto/gen/audit/v1/audit";
import { streams } from "@sonde/proto/streams";
import type { AuthStore } from "../context.ts";

const stored = counter("sonde_auth_audit_entries_total", "Audit entries read from the bus");
const stream = streams.audit.name;

/** Stores audit entries from other services. Unacknowledged messages are redelivered if PostgreSQL is unavailable. */
export function startAuditIntake(bus: Bus, { audit }: Pick<AuthStore, "audit">): Service {
  let waiting: PulledMessage[] = [];
  let writing = Promise.resolve();

  /** If the insert fails, retries one by one: an invalid entry must not block others. */
  const write = async (messages: readonly PulledMessage[]): Promise<void> => {
    try {
      await audit.insert(messages.map(({ data }) => fromBinary(EntrySchema, data)));
      stored.inc(messages.length);
    } catch (error) {
      if (isDatabaseUnavailable(error)) return;
      if (messages.length > 1) {
        for (const message of messages) await write([message]);
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      await moveToDeadLetters(bus, { stream, service: "auth", reason, message: messages[0]! });
    }
    for (const message of messages) message.ack();
  };
  const writeWaiting = async () => {
    const messages = waiting;
    waiting = [];
    if (messages.length > 0) await write(messages);
  };

  const pulling = pullDurable(bus, {
    stream,
    durable: "auth",
    room: () => writing,
    onMessage: (message) => {
      waiting.push(message);
      const failed = (err: unknown) => bus.log.error({ err }, "storing a dead letter failed");
      writing = writing.then(writeWaiting).catch(failed);
    },
  });
  return {
    stop: async () => {
      await pulling.stop();
      await writing;
    },
  };
}
