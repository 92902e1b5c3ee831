import { clipError } from "@sonde/kit/clip";
import type { Clock } from "@sonde/kit/time/clock";
import type { CheckVerdict } from "./result.ts";

/** The failure of a monitor whose evidence was published last. */
export interface KeptEvidence {
  reason: string;
  atMs: number;
}

/** A failure that lasts has new evidence after this time; one for another reason sooner. */
const sameReasonMs = 5 * 60_000;
const otherReasonMs = 30_000;
/** What this runner publishes: a thousand failures at once, then some ten a second. */
const burstBytes = 4 * 1024 * 1024;
const bytesASecond = 32 * 1024;
/** What bounds and escapes of its parts amount to; a message that is larger has no evidence. */
const maxBytes = 16 * 1024;

/** The evidence of a failure as it travels: JSON. Undefined if there is none, or it cannot be made. */
export function evidenceText({ evidence }: CheckVerdict, keepBody: boolean): string | undefined {
  try {
    const text = evidence && JSON.stringify(evidence({ keepBody }));
    return text === undefined || Buffer.byteLength(text) > maxBytes ? undefined : text;
  } catch {
    // What a target sent must not keep its failure from being published.
    return undefined;
  }
}

/** Decides of which failures evidence is published: not of each, and within what the bus and the database may be given. */
export function createEvidenceKeeping(clock: Clock) {
  let leftBytes = burstBytes;
  let countedMs = clock.elapsedMs();

  function hasRoom(): boolean {
    const nowMs = clock.elapsedMs();
    leftBytes = Math.min(burstBytes, leftBytes + ((nowMs - countedMs) / 1000) * bytesASecond);
    countedMs = nowMs;
    return leftBytes > 0;
  }

  return {
    /** @param kept the last of this monitor */
    textOf(verdict: CheckVerdict, keepBody: boolean, kept: KeptEvidence | undefined): string | undefined {
      const sinceMs = kept === undefined ? Infinity : Math.abs(clock.now() - kept.atMs);
      const isSame = kept?.reason === failureReason(verdict);
      if (sinceMs < (isSame ? sameReasonMs : otherReasonMs) || !hasRoom()) return undefined;
      const text = evidenceText(verdict, keepBody);
      leftBytes -= text === undefined ? 0 : Buffer.byteLength(text);
      return text;
    },
  };
}

type Failure = { statusCode?: number | undefined; error?: { kind: string; message: string } | undefined };

/** Numbers that a reason names, such as response times, make no other one; statuses do. */
export const failureReason = ({ statusCode, error }: Failure): string =>
  [statusCode, error?.kind, clipError(error?.message ?? "").replaceAll(/\d+/g, "0")].join(" ");
