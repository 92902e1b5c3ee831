import { connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { type DocumentPart, documentsKey } from "@sonde/proto/http/status/documents";
import { defaultSlug, type PageSnapshot, type PageStates, statesKey } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import { packDocuments } from "@sonde/status-page/testing/documents";
import { fakeStates } from "@sonde/status-page/testing/snapshot";
import { gzipSync } from "node:zlib";

/** Writes like status-page, on a real bus. */
export async function openStatusBucket(natsUrl: string) {
  const bus = await connectBus({ url: natsUrl, name: "fakes", log: silentLog, shrink: 64 });
  const put = async (key: string, value: Uint8Array) => void (await (await bus.kv(buckets.status)).put(key, value));
  return {
    bus,
    putPage: async (snapshot: PageSnapshot) => {
      const parts = await packDocuments({ snapshot, states: fakeStates });
      for (const { part, bytes } of parts) await put(documentsKey(defaultSlug, part), bytes);
    },
    putStates: (states: PageStates) => put(statesKey(defaultSlug), gzipSync(JSON.stringify(states))),
    putRaw: (which: DocumentPart | "states", value: Uint8Array) =>
      put(which === "states" ? statesKey(defaultSlug) : documentsKey(defaultSlug, which), value),
    stop: () => bus.close(),
  };
}
