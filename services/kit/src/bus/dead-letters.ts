import { headers } from "@nats-io/nats-core";
import { subjects } from "@sonde/proto/subjects";
import type { Bus } from "./connect.ts";
import { largestMessageBytes } from "./pack.ts";
import { counter } from "../telemetry/metrics.ts";

const dead = counter("sonde_dead_letters_total", "Unreadable messages that were moved to the stream DEAD", [
  "stream",
  "service",
]);

export type DeadLetter = {
  /** The stream that it lay in, by name. */
  stream: string;
  /** Who could not read it. */
  service: string;
  reason: string;
  message: { subject: string; sequence: number; data: Uint8Array };
};

/**
 * Dead-letters a message, as much of it as fits beside its headers: the reason and its position, so that it can be
 * inspected and replayed. Rejects if the bus did not store it: the message must then be delivered again.
 */
export async function putAside(bus: Bus, { stream, service, reason, message }: DeadLetter): Promise<void> {
  const head = headers();
  // A header is one line of ASCII to the bus.
  head.set("Sonde-Reason", reason.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 500));
  head.set("Sonde-Service", service);
  head.set("Sonde-Subject", message.subject);
  head.set("Sonde-Sequence", String(message.sequence));
  // With these headers it may exceed the largest message of the bus, and would then be retried for ever.
  const data = message.data.subarray(0, largestMessageBytes(bus.nc));
  if (data.length < message.data.length) head.set("Sonde-Cut-From-Bytes", String(message.data.length));
  // Without an id: a stream that was created again restarts at 1, and a duplicate letter is better than a lost one.
  await bus.js.publish(subjects.deadLetter(stream), data, { headers: head });
  dead.inc({ stream, service });
  bus.log.warn(
    { reason, stream, subject: message.subject, sequence: message.sequence },
    "message moved to the dead letters",
  );
}
