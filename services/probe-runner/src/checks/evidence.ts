import { clipError } from "@sonde/kit/clip";
import type { Clock } from "@sonde/kit/time/clock";
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

/** Encodes a failure's evidence as JSON; `undefined` if there is none or it cannot be encoded. */
export function evidenceText({ evidence }: CheckVerdict, keepBody: boolean): string | undefined {
  try {
    const text = evidence && JSON.stringify(evidence({ keepBody }));
    return text === undefined || Buffer.byteLength(text) > maxBytes ? undefined : text;
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
    textOf(verdict: CheckVerdict, keepBody: boolean, last: PublishedEvidence | undefined): string | undefined {
      const sinceMs = last === undefined ? Infinity : Math.abs(clock.now() - last.atMs);
      const isSame = last?.reason === failureReason(verdict);
      if (sinceMs < (isSame ? sameReasonMs : otherReasonMs) || !hasRoom()) return undefined;
      const text = evidenceText(verdict, keepBody);
      leftBytes -= text === undefined ? 0 : Buffer.byteLength(text);
      return text;
    },
  };
}

type Failure = { statusCode?: number | undefined; error?: { kind: string; message: string } | undefined };

/** Identifies a failure's reason. Numbers in the message, such as response times, are ignored; the status counts. */
export const failureReason = ({ statusCode, error }: Failure): string =>
  [statusCode, error?.kind, clipError(error?.message ?? "").replaceAll(/\d+/g, "0")].join(" ");
