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
  stream: string;
  service: string;
  reason: string;
  message: { subject: string; sequence: number; data: Uint8Array };
};

/**
 * Stores a message with the reason and its position, for inspection and replay. Rejects if the bus did not store it;
 * the message must then be redelivered.
 */
export async function moveToDeadLetters(bus: Bus, { stream, service, reason, message }: DeadLetter): Promise<void> {
  const head = headers();
  // NATS headers are single lines of ASCII.
  head.set("Sonde-Reason", reason.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 500));
  head.set("Sonde-Service", service);
  head.set("Sonde-Subject", message.subject);
  head.set("Sonde-Sequence", String(message.sequence));
  // The message may be too large with these headers.
  const data = message.data.subarray(0, largestMessageBytes(bus.nc));
  if (data.length < message.data.length) head.set("Sonde-Cut-From-Bytes", String(message.data.length));
  // No message id: a recreated stream restarts at 1, and a duplicate dead letter is better than a lost one.
  await bus.js.publish(subjects.deadLetter(stream), data, { headers: head });
  dead.inc({ stream, service });
  bus.log.warn(
    { reason, stream, subject: message.subject, sequence: message.sequence },
    "message moved to the dead letters",
  );
}
