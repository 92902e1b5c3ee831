import { openStream } from "@sonde/gateway/testing/stream-reader";
import type { Api } from "@sonde/testing/api";
import { percentile } from "@sonde/testing/figures";
import type { LoopbackTarget } from "@sonde/testing/recording-target/target";
import { setTimeout as sleep } from "node:timers/promises";

const [monitors, pauseMs] = [200, 50];
let made = 100_000;

/** Milliseconds from a new monitor's first request at the target to its state in an event stream. */
export async function resultDelay(
  api: Api,
  { url, token }: { url: string; token: string },
  target: LoopbackTarget,
  location: string,
): Promise<{ p50: number; p95: number }> {
  const [stream, first] = [await openStream(url, token), made];
  await target.take();
  const [shownMs, created] = [new Map<number, number>(), [] as number[]];
  const reading = (async () => {
    for (let frame = await stream.next(); frame !== null; frame = await stream.next()) {
      const { name, status } = frame.data as { name?: string; status?: string };
      const key = Number(name?.split(" ").at(-1));
      if (status === "up" && key >= first) shownMs.set(key, Date.now());
    }
  })().catch(() => {});
  for (; made < first + monitors; made++) {
    const address = `http://127.0.0.1:${target.ports.http}/ok/${made}`;
    const input = { name: `Delay ${made}`, url: address, interval: 60, locations: [location] };
    created.push((await api.send<{ monitor: { id: number } }>("POST", "/api/monitors", input)).monitor.id);
    await sleep(pauseMs);
  }
  await sleep(5000);
  stream.close();
  await reading;
  await api.send("POST", "/api/monitors/bulk", { action: "delete", ids: created });
  const { ids, timesMs } = await target.take();
  const delays: number[] = [];
  ids.forEach((id, at) => {
    const atMs = shownMs.get(id);
    if (atMs !== undefined) delays.push(atMs - timesMs[at]!);
  });
  if (delays.length < monitors) throw new Error(`only ${delays.length} of ${monitors} first results were shown`);
  const sorted = Float64Array.from(delays);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
}
