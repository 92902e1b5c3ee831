import { connectBus } from "@sonde/kit/bus/connect";
import { startNats } from "@sonde/kit/embedded/nats";
import { silentLog } from "@sonde/kit/service/log";
import { partitions, subjects } from "@sonde/proto/subjects";
import { usageOf } from "../pipeline/usage.ts";
import type { Figure } from "../probe/figures.ts";

const windowMs = 10_000;

/**
 * How many messages a second one nats-server takes, which forces each to the disk from version 2.10 on. As runners send them: of each runner
 * one message a partition is under way.
 */
export async function publishes(runners: number, bytes: number): Promise<Figure> {
  const nats = await startNats();
  const bus = await connectBus({ url: nats.url, name: "bench", log: silentLog, shrink: 4 });
  const body = new Uint8Array(bytes).fill(7);
  const before = await usageOf(nats.pid);
  const endMs = performance.now() + windowMs;
  let sent = 0;
  const publish = async (partition: number) => {
    while (performance.now() < endMs) {
      await bus.js.publish(subjects.results(partition, "default"), body);
      sent++;
    }
  };
  await Promise.all(Array.from({ length: runners * partitions }, (_, index) => publish(index % partitions)));
  const spent = (await usageOf(nats.pid)).cpuMs - before.cpuMs;
  const version = bus.nc.info?.version ?? "";
  await bus.close();
  await nats.stop();
  return {
    goal: "–",
    what: `messages of ${bytes} B that one NATS server (${version}) takes, ${runners} runners at once`,
    wanted: "–",
    measured: `${((sent / windowMs) * 1000).toFixed(0)}/s; CPU of NATS each ${(spent / sent).toFixed(2)} ms`,
    held: false,
  };
}
