import type { Bus } from "@sonde/kit/bus/connect";
import { largestMessageBytes } from "@sonde/kit/bus/pack";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { type DocumentPart, documentsKey } from "@sonde/proto/http/status/documents";
import { defaultSlug, type PageStates } from "@sonde/proto/http/status/snapshot";
import { buckets } from "@sonde/proto/streams";
import type { Renderer } from "./render/renderer.ts";

/** Renders the last published snapshot and states, and puts the documents into the bucket `status`. */
type Publisher = {
  /** The snapshot's JSON; null: none was published yet. */
  page: string | null;
  states: PageStates | null;
  /**
   * Puts the parts that changed. @throws AppError `unavailable` if they cannot be rendered; while the bus is
   * disconnected
   */
  publish(): Promise<void>;
  /** The bucket may have lost its values: all parts are put again. */
  forget(): void;
};

/** By then a bucket that was emptied or made again has all parts. */
const allEveryMs = 300_000;

export function openPublisher(options: {
  bus: Bus;
  clock: Clock;
  log: Pick<Log, "error">;
  renderer: Pick<Renderer, "parts">;
  publicUrl: string | null;
}): Publisher {
  const { bus, clock, log, renderer, publicUrl } = options;
  let written: Partial<Record<DocumentPart, string>> = {};
  let allAtMs = Number.NEGATIVE_INFINITY;

  const publisher: Publisher = {
    page: null,
    states: null,
    async publish() {
      const { page, states } = publisher;
      if (page === null || states === null) return;
      if (clock.elapsedMs() - allAtMs > allEveryMs) {
        written = {};
        allAtMs = clock.elapsedMs();
      }
      const own = written;
      const parts = await renderer.parts({ page, states, publicUrl, nowMs: clock.now(), written });
      try {
        const kv = await bus.kv(buckets.status);
        for (const { part, hash, bytes } of parts) {
          if (bytes.length <= largestMessageBytes(bus.nc)) await kv.put(documentsKey(defaultSlug, part), bytes);
          else log.error({ part, sizeBytes: bytes.length }, "documents of the public page fit no message of the bus");
          own[part] = hash;
        }
      } catch (error) {
        publisher.forget();
        throw error;
      }
    },
    forget: () => void (written = {}),
  };
  return publisher;
}
