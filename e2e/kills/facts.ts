import { fromBinary } from "@bufbuild/protobuf";
import { connectBus, type Bus } from "@sonde/kit/bus/connect";
import { followStream, type BusMessage } from "@sonde/kit/bus/follow";
import { silentLog } from "@sonde/kit/service/log";
import { type CheckResult, ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import { type Event, EventSchema } from "@sonde/proto/gen/events/v1/events";
import { streams } from "@sonde/proto/streams";

export type Acknowledged = CheckResult & { storedAtMs: number };

export interface Facts {
  results(): Promise<Acknowledged[]>;
  events(): Promise<Event[]>;
  /** Resolves when metrics has stored all results and samples. @throws Error after two minutes */
  drained(): Promise<void>;
  deadLetters(): Promise<number>;
  close(): Promise<void>;
}

const [drainPatienceMs, pollMs] = [120_000, 500];

export async function openFacts(natsUrl: string): Promise<Facts> {
  const bus = await connectBus({ url: natsUrl, name: "kills", log: silentLog, streams: [], buckets: [] });
  const pending = async (stream: string) => {
    const { num_pending, num_ack_pending } = await bus.jsm.consumers.info(stream, "metrics");
    return num_pending + num_ack_pending;
  };
  return {
    async results() {
      const found: Acknowledged[] = [];
      await readAll(bus, streams.results.name, ({ data, storedAtMs }) => {
        for (const result of fromBinary(ResultBatchSchema, data).results) found.push({ ...result, storedAtMs });
      });
      return found;
    },
    async events() {
      const found: Event[] = [];
      await readAll(bus, streams.events.name, ({ data }) => void found.push(fromBinary(EventSchema, data)));
      return found;
    },
    async drained() {
      for (let waitedMs = 0; waitedMs < drainPatienceMs; waitedMs += pollMs) {
        const left = (await pending(streams.results.name)) + (await pending(streams.samples.name));
        if (left === 0) return;
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
      throw new Error("metrics did not store everything on the bus in time");
    },
    deadLetters: async () => (await bus.jsm.streams.info(streams.deadLetters.name)).state.messages,
    close: () => bus.close(),
  };
}

async function readAll(bus: Bus, stream: string, onMessage: (message: BusMessage) => void): Promise<void> {
  const current = Promise.withResolvers<void>();
  const following = followStream(bus, { stream, from: "first", onMessage, onCurrent: current.resolve });
  await current.promise;
  await following.stop();
}
