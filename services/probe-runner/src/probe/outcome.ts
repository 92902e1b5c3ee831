import type { Clock } from "@sonde/kit/clock";
import type { Egress } from "@sonde/kit/egress/route";
import type { Judging } from "./judging.ts";
import type { CheckError, CheckErrorKind, CheckStatus, Timings } from "@sonde/proto/http/checks";

/**
 * What a probe found. `none`: trouble of the runner itself, which says nothing about the target; no result may come
 * of it. Times in milliseconds.
 */
export type Outcome =
  | {
      status: CheckStatus;
      /** The target, or what stands before it, showed a sign of life: it took or refused a connection. */
      reached: boolean;
      statusCode?: number;
      timings: Timings;
      error?: CheckError;
      certificateExpiresAtMs?: number;
    }
  | { status: "none"; trouble: string };

/** What a probe needs of the world. The caller owns the deadline: it aborts `signal`. */
export interface ProbeContext extends Egress {
  signal: AbortSignal;
  clock: Clock;
  judging: Judging;
}

/** Why a step failed: the target's fault, or trouble of our own. */
export type Fault = { kind: CheckErrorKind; message: string } | { trouble: string };

/** Abort reason of a check that is given up for the runner's sake; any other reason means that time ran out. */
export const cancelled = Symbol("cancelled");

export function noTimings(): Timings {
  return { dns: 0, connect: 0, tls: 0, firstByte: 0, total: 0 };
}
