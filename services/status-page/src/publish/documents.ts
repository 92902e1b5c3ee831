import type { Bus } from "@sonde/kit/bus/connect";
import { largestMessageBytes } from "@sonde/kit/bus/pack";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { documentsKey, type PublishedPart } from "@sonde/proto/http/status/documents";
import { buckets } from "@sonde/proto/streams";
import type { PackedPart } from "../render/documents.ts";

type WrittenParts = Partial<Record<PublishedPart, string>>;

type PublishedDocuments = {
  /** Parts that need no rendering. Empty every five minutes, so a bucket that lost them is refilled. */
  written(): WrittenParts;
  /** Puts parts that differ from `written`, and adds them to it. @throws while the bus is disconnected */
  put(parts: readonly PackedPart[], written: WrittenParts): Promise<void>;
  /** The bucket may have lost its values. */
  forget(): void;
};

const allEveryMs = 300_000;

export function openDocuments(
  { bus, clock, log }: { bus: Bus; clock: Clock; log: Pick<Log, "error"> },
  slug: string,
): PublishedDocuments {
  let written: WrittenParts = {};
  let forgottenMs = clock.elapsedMs();
  const forget = () => {
    written = {};
    forgottenMs = clock.elapsedMs();
  };
  return {
    written() {
      if (clock.elapsedMs() - forgottenMs > allEveryMs) forget();
      return written;
    },
    async put(parts, known) {
      try {
        const kv = await bus.kv(buckets.status);
        for (const { part, hash, bytes } of parts) {
          if (bytes.length <= largestMessageBytes(bus.nc)) await kv.put(documentsKey(slug, part), bytes);
          else log.error({ slug, part, sizeBytes: bytes.length }, "page documents are too large for a bus message");
          known[part] = hash;
        }
      } catch (error) {
        forget();
        throw error;
      }
    },
    forget,
  };
}
