import { connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { defaultSlug, pageKey, type PageSnapshot, type PageStates, statesKey } from "@sonde/proto/http/status-snapshot";
import { buckets } from "@sonde/proto/streams";
import { gzipped } from "./fake-public-page.ts";

/** Writes what status-page would write, on a real bus. */
export async function openStatusBucket(natsUrl: string) {
  const bus = await connectBus({ url: natsUrl, name: "fakes", log: silentLog, shrink: 64 });
  const put = async (key: string, value: Uint8Array) => void (await (await bus.kv(buckets.status)).put(key, value));
  return {
    bus,
    putPage: (snapshot: PageSnapshot) => put(pageKey(defaultSlug), gzipped(snapshot)),
    putStates: (states: PageStates) => put(statesKey(defaultSlug), gzipped(states)),
    putRaw: (which: "page" | "states", value: Uint8Array) =>
      put(which === "page" ? pageKey(defaultSlug) : statesKey(defaultSlug), value),
    stop: () => bus.close(),
  };
}
