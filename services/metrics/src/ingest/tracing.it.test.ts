import { connectBus, publishFact } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { startOtlpReceiver } from "@sonde/kit/testing/otlp-receiver";
import { startNats } from "@sonde/embedded/nats";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { afterEach, expect, test, vi } from "vitest";
import { startIntake } from "./intake.ts";

afterEach(() => vi.unstubAllEnvs());

test("storing a block creates a span with links to everything in it", async () => {
  const receiver = await startOtlpReceiver();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint);
  const nats = await startNats();
  const used = { streams: [streams.results], buckets: [] };
  const connect = (name: string) => connectBus({ url: nats.url, name, log: silentLog, shrink: 64, ...used });
  // An administrator creates the stream that both wait for.
  await (await connect("test")).close();
  const [runner, metrics] = [await connect("probe-runner"), await connect("metrics")];
  for (const partition of [1, 2])
    await publishFact(runner, subjects.results(partition, "default"), new Uint8Array([1]));
  let messages = 0;
  const intake = startIntake({
    bus: metrics,
    stream: streams.results.name,
    read: () => ({ rows: 1, news: true, refused: { old: 0, future: 0 }, problem: null }),
    write: async (block) => {
      messages += block.length;
      return block.length;
    },
  });
  await vi.waitFor(() => expect(messages).toBe(2), { timeout: 30_000 });
  await intake.stop();
  await runner.close();
  await metrics.close();

  const sent = receiver.find("probe-runner", "send results");
  const stored = receiver.find("metrics", "store results");
  expect(sent).toHaveLength(2);
  expect(stored.map(({ kind }) => kind)).toEqual(stored.map(() => 5));
  const linked = stored.flatMap(({ links }) => links ?? []).map(({ traceId, spanId }) => `${traceId}-${spanId}`);
  expect(linked.toSorted()).toEqual(sent.map(({ traceId, spanId }) => `${traceId}-${spanId}`).toSorted());
  await nats.stop();
  await receiver.stop();
});
