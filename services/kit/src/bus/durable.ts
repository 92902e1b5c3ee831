import { AckPolicy, type Consumer, type ConsumerMessages, DeliverPolicy } from "@nats-io/jetstream";
import { nanos } from "@nats-io/nats-core";
import { type Bus, isClustered } from "./connect.ts";
import { reportStreamLag } from "./follow.ts";
import type { Service } from "../service/lifecycle.ts";

/** Redelivered to any replica until acknowledged. */
export type PulledMessage = {
  subject: string;
  data: Uint8Array;
  sequence: number;
  /** Epoch ms, by the bus's clock. */
  storedAtMs: number;
  traceparent?: string;
  /** How often it was delivered, at least once. */
  deliveries: number;
  ack(): void;
  nak(delayMs?: number): void;
};

export type DurableOptions = {
  stream: string;
  /** Shared by all replicas. */
  durable: string;
  /** Resolves when more messages may be pulled. */
  room: () => Promise<void>;
  /** Takes over a message and settles it later. Must not throw. */
  onMessage: (message: PulledMessage) => void;
  ackWaitMs?: number;
};

const pullMessages = 100;
/** Each empty pull costs six messages. A lost consumer shows by missing heartbeats, and at a reconnect. */
const pullMs = 30_000;
/** In a cluster; a single server loses consumers only with the connection. */
const heartbeatMs = 2_500;
const loneHeartbeatMs = 15_000;
const retryMs = 500;

/** Recovers when the consumer, the stream or the bus is lost. */
export function pullDurable(bus: Bus, options: DurableOptions): Service {
  let stopped = false;
  let pulling: ConsumerMessages | undefined;
  let consumer: Consumer | undefined;

  const pull = async () => {
    await options.room();
    if (stopped) return;
    consumer ??= await openConsumer(bus, options);
    const idleMs = isClustered(bus) ? heartbeatMs : loneHeartbeatMs;
    pulling = await consumer.fetch({ max_messages: pullMessages, expires: pullMs, idle_heartbeat: idleMs });
    if (stopped) void pulling.close();
    let taken = 0;
    for await (const message of pulling) {
      if (stopped) break;
      taken++;
      const { subject, data, seq: sequence } = message;
      const traceparent = message.headers?.get("traceparent") || undefined;
      options.onMessage({
        subject,
        data,
        sequence,
        storedAtMs: message.time.getTime(),
        traceparent,
        deliveries: message.info.deliveryCount,
        ack: () => message.ack(),
        nak: (delayMs) => message.nak(delayMs),
      });
    }
    // The consumer may have been deleted.
    if (taken === 0) consumer = undefined;
  };

  const run = async () => {
    while (!stopped) {
      try {
        await pull();
      } catch (error) {
        if (stopped || bus.nc.isClosed()) return;
        consumer = undefined;
        bus.log.warn({ err: error, stream: options.stream }, "pulling from a stream failed; retrying");
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  };
  const running = run();
  const stopTelling = reportStreamLag(bus, options.stream, async () => {
    const info = await bus.jsm.consumers.info(options.stream, options.durable);
    return info.num_pending + info.num_ack_pending;
  });
  return {
    stop: async () => {
      stopped = true;
      stopTelling();
      await pulling?.close();
      await running;
    },
  };
}

async function openConsumer(bus: Bus, { stream, durable, ackWaitMs = 10_000 }: DurableOptions): Promise<Consumer> {
  await bus.jsm.streams.info(stream).catch(() => bus.ensure());
  const settings = { ack_wait: nanos(ackWaitMs), max_ack_pending: 20_000 };
  const found = await bus.jsm.consumers.info(stream, durable).catch(() => null);
  if (found === null) {
    await bus.jsm.consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ...settings,
    });
  } else if (found.config.ack_wait !== settings.ack_wait || found.config.max_ack_pending !== settings.max_ack_pending) {
    await bus.jsm.consumers.update(stream, durable, settings);
  }
  return bus.js.consumers.get(stream, durable);
}
