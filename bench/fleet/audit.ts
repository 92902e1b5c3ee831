import { fromBinary } from "@bufbuild/protobuf";
import { connectBus } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { silentLog } from "@sonde/kit/service/log";
import { SampleBatchSchema } from "@sonde/proto/gen/agents/v1/samples";
import { streams } from "@sonde/proto/streams";
import type { Ledger } from "@sonde/testing/fleet/simulated-agent";

/** Compares what the agents produced with what SAMPLES contains. */
export type Audit = { made: number; missing: number; missingAcknowledged: number; strange: number };

/** Reads all of SAMPLES and looks up every sample in these ledgers. */
export async function audit(natsUrl: string, ledgers: readonly Ledger[]): Promise<Audit> {
  const found = await readStored(natsUrl);
  const result: Audit = { made: 0, missing: 0, missingAcknowledged: 0, strange: 0 };
  for (const { id, bootId, made, acknowledged } of ledgers) {
    made.forEach((sequence, index) => {
      const key = nameOf(id, bootId, sequence);
      const times = found.get(key) ?? 0;
      found.delete(key);
      result.made += 1;
      if (times === 0) result.missing += 1;
      if (times === 0 && index < acknowledged) result.missingAcknowledged += 1;
    });
  }
  // Samples in the stream that no agent produced.
  result.strange = found.size;
  return result;
}

const nameOf = (id: number, bootId: string, sequence: number) => `${id} ${bootId} ${sequence}`;

/** Counts how often each sample is in the stream. */
async function readStored(natsUrl: string): Promise<Map<string, number>> {
  const bus = await connectBus({ url: natsUrl, name: "audit", log: silentLog, shrink: 4 });
  const found = new Map<string, number>();
  await new Promise<void>((resolve) => {
    followStream(bus, {
      stream: streams.samples.name,
      from: "first",
      onCurrent: resolve,
      onMessage: ({ data }) => {
        for (const { agentId, sample } of fromBinary(SampleBatchSchema, data).samples) {
          const key = nameOf(agentId, sample?.bootId ?? "", sample?.sequence ?? -1);
          found.set(key, (found.get(key) ?? 0) + 1);
        }
      },
    });
  });
  await bus.close();
  return found;
}
