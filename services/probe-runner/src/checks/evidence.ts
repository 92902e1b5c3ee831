import { clipError } from "@sonde/kit/clip";
import type { Clock } from "@sonde/kit/time/clock";
import type { Fingerprints } from "./fingerprints.ts";
import type { CheckVerdict } from "./result.ts";

export interface PublishedEvidence {
  reason: string;
  atMs: number;
}

/** Minimum time between two pieces of evidence for the same failure reason, and for a different one. */
const sameReasonMs = 5 * 60_000;
const otherReasonMs = 30_000;
/** Token bucket for this runner: about a thousand failures at once, then about ten a second. */
const burstBytes = 4 * 1024 * 1024;
const bytesPerSecond = 32 * 1024;
/** Sum of the bounds of all parts, with room for JSON escapes; larger evidence is dropped. */
const maxBytes = 16 * 1024;

/**
 * Encodes a failure's evidence as JSON; `undefined` if there is none or it cannot be encoded. Fingerprints that do not
 * fit are left out.
 */
export function evidenceText(
  { evidence }: CheckVerdict,
  keepBody: boolean,
  fingerprints?: Fingerprints,
): string | undefined {
  try {
    const found = evidence?.({ keepBody });
    if (found === undefined) return undefined;
    const texts = [JSON.stringify({ ...found, ...fingerprints }), JSON.stringify(found)];
    return texts.find((text) => Buffer.byteLength(text) <= maxBytes);
  } catch {
    // Unusual content from a target must not prevent its failure from being published.
    return undefined;
  }
}

/** Decides which failures get evidence, within the runner's byte budget. */
export function createEvidencePolicy(clock: Clock) {
  let leftBytes = burstBytes;
  let countedMs = clock.elapsedMs();

  function hasRoom(): boolean {
    const nowMs = clock.elapsedMs();
    leftBytes = Math.min(burstBytes, leftBytes + ((nowMs - countedMs) / 1000) * bytesPerSecond);
    countedMs = nowMs;
    return leftBytes > 0;
  }

  return {
    isDue(verdict: CheckVerdict, last: PublishedEvidence | undefined): boolean {
      const sinceMs = last === undefined ? Infinity : Math.abs(clock.now() - last.atMs);
      const isSame = last?.reason === failureReason(verdict);
      return verdict.evidence !== undefined && sinceMs >= (isSame ? sameReasonMs : otherReasonMs) && hasRoom();
    },
    textOf(verdict: CheckVerdict, keepBody: boolean, fingerprints?: Fingerprints): string | undefined {
      const text = evidenceText(verdict, keepBody, fingerprints);
      leftBytes -= text === undefined ? 0 : Buffer.byteLength(text);
      return text;
    },
  };
}

type Failure = { statusCode?: number | undefined; error?: { kind: string; message: string } | undefined };

/** Identifies a failure's reason. Numbers in the message, such as response times, are ignored; the status counts. */
export const failureReason = ({ statusCode, error }: Failure): string =>
  [statusCode, error?.kind, clipError(error?.message ?? "").replaceAll(/\d+/g, "0")].join(" ");
