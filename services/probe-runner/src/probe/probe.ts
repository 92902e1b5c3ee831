import type { Egress } from "@sonde/kit/egress/url";
import type { Clock } from "@sonde/kit/time/clock";
import type { StoredEvidence } from "@sonde/proto/http/incidents/evidence";
import type { CheckError, CheckErrorKind, CheckStatus, Timings } from "@sonde/proto/http/monitors/checks";
import type { CheckOf, CheckType } from "@sonde/proto/http/monitors/kinds";
import type { CheckMemory } from "./memory.ts";
import type { Traces } from "./traces.ts";
import type { AssertionJudge } from "./judging.ts";

/** Times in milliseconds. `none`: the runner had a problem, so no result is published. */
export type ProbeOutcome =
  | {
      status: CheckStatus;
      /** For failures: the host did not answer, so the runner may have lost its network. */
      silence?: Silence;
      statusCode?: number;
      timings: Timings;
      error?: CheckError;
      evidence?: MakeEvidence;
      traces?: Traces;
      certificateExpiresAtMs?: number;
      /** Certificate issuer, such as `R3, Let's Encrypt`. */
      certificateIssuer?: string;
    }
  | { status: "none"; trouble: string };

export type MakeEvidence = (options: { keepBody: boolean }) => StoredEvidence;

/** What did not answer: name servers about a name, or a host at these addresses. */
export type Silence =
  | { of: "name"; name: string }
  | {
      of: "host";
      addresses: readonly string[];
      /** The system reported that no route exists; a distant router may have caused that. */
      unrouted: boolean;
    };

/** Dependencies of a probe. The caller owns the deadline and aborts `signal`. */
export interface ProbeContext extends Egress {
  signal: AbortSignal;
  clock: Clock;
  judging: AssertionJudge;
  memory?: CheckMemory;
  /** Time until the caller aborts, for servers that accept a limit of their own. */
  timeoutMs?: number;
  onAlive?(address: string, port: number): void;
}

/** Why a step failed: because of the target (`silence` puts that in doubt), or because of the runner (`trouble`). */
export type ProbeFailure = { kind: CheckErrorKind; message: string; silence?: Silence } | { trouble: string };

export const noPing = "ping is missing or not permitted";
// Domain checks without a usable response.
export const noRegistry = "the registry's RDAP service gave no usable answer";
export const noExpiration = "the registry does not say when the domain expires";
export const noServiceList = "the list of RDAP services is out of reach";

/** Abort reason of a check that the runner abandons. Any other reason means that it timed out. */
export const cancelled = Symbol("cancelled");

export interface AnyTarget<Type extends CheckType = CheckType> {
  kind: Type;
  /** The host that is dialled or queried; also the key of the per-host limit. */
  host: string;
  invert?: boolean;
}

export interface Probe<Type extends CheckType, Target extends AnyTarget<Type>> {
  /** @throws Error if the check cannot be run, which its schema should prevent */
  compile(check: CheckOf<Type>): Target;
  /** Never rejects: a failure is an outcome. The caller owns the deadline. */
  run(target: Target, ctx: ProbeContext): Promise<ProbeOutcome>;
}
