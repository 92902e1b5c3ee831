import type { Bus } from "@sonde/kit/bus/connect";
import { largestMessageBytes } from "@sonde/kit/bus/pack";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { type DocumentPart, documentsKey } from "@sonde/proto/http/status/documents";
import { buckets } from "@sonde/proto/streams";
import type { PackedPart } from "../render/documents.ts";

/** The hash of each part that the bucket has. */
type WrittenParts = Partial<Record<DocumentPart, string>>;

/** A page's documents in the bucket `status`. */
type PublishedDocuments = {
  /** The parts that need not be rendered again. Empty every five minutes, so that a bucket that lost them gets all. */
  written(): WrittenParts;
  /**
   * Puts parts that differ from `written`, and notes them there.
   * @throws while the bus is disconnected
   */
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
          else
            log.error(
              { slug, part, sizeBytes: bytes.length },
              "documents of the public page fit no message of the bus",
            );
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
