import type { Egress } from "@sonde/kit/egress/url";
import type { Clock } from "@sonde/kit/time/clock";
import type { StoredEvidence } from "@sonde/proto/http/incidents/evidence";
import type { CheckError, CheckErrorKind, CheckStatus, Timings } from "@sonde/proto/http/monitors/checks";
import type { CheckOf, CheckType } from "@sonde/proto/http/monitors/kinds";
import type { CheckMemory } from "./memory.ts";
import type { AssertionJudge } from "./judging.ts";

/**
 * The outcome of a probe. `none`: a fault of the runner itself, so the target's state is unknown; it becomes no result.
 * Times in milliseconds.
 */
export type ProbeOutcome =
  | {
      status: CheckStatus;
      /** Of a failure: the host did not answer, so the runner may have lost its network. */
      silence?: Silence;
      statusCode?: number;
      timings: Timings;
      error?: CheckError;
      /** Of a failure: what was found, made only where it is kept. */
      evidence?: MakeEvidence;
      certificateExpiresAtMs?: number;
      /** Who issued the certificate: `R3, Let's Encrypt`. */
      certificateIssuer?: string;
    }
  | { status: "none"; trouble: string };

/** Makes the evidence of a failure, bounded and masked. */
export type MakeEvidence = (options: { keepBody: boolean }) => StoredEvidence;

/** Who did not answer: the name servers about a name, or a host at these addresses. */
export type Silence =
  | { of: "name"; name: string }
  | {
      of: "host";
      addresses: readonly string[];
      /** The system reported that there is no route; a distant router may have caused that. */
      unrouted: boolean;
    };

/** What a probe needs of the world. The caller owns the deadline: it aborts `signal`. */
export interface ProbeContext extends Egress {
  signal: AbortSignal;
  clock: Clock;
  judging: AssertionJudge;
  /** What the check may keep of answers. */
  memory?: CheckMemory;
  /** As long as the caller waits before it aborts; for servers that are given a limit of their own. */
  timeoutMs?: number;
  /** Called whenever a host at an address accepted or refused a connection. */
  onAlive?(address: string, port: number): void;
}

/** Why a step failed: the target's fault, which `silence` puts in doubt, or trouble of our own for certain. */
export type Fault = { kind: CheckErrorKind; message: string; silence?: Silence } | { trouble: string };

/** The trouble of a runner that cannot send pings. */
export const noPing = "ping is missing or not permitted";
/** Of checks of domains: what they ask gives no answer that says anything. */
export const noRegistry = "the registry's RDAP service gave no usable answer";
export const noExpiration = "the registry does not say when the domain expires";
export const noServiceList = "the list of RDAP services is out of reach";

/** Abort reason of a check that is given up for the runner's sake; any other reason means that time ran out. */
export const cancelled = Symbol("cancelled");

/** A check that was read once and is ready to run many times. */
export interface AnyTarget<Type extends CheckType = CheckType> {
  kind: Type;
  /** The host that is dialled or queried. The limit of concurrent checks by host uses it. */
  host: string;
  /** Its check must fail. */
  invert?: boolean;
}

/** How one kind of check is carried out. */
export interface Probe<Type extends CheckType, Target extends AnyTarget<Type>> {
  /** @throws Error where the check cannot be carried out; its schema allows none that cannot */
  compile(check: CheckOf<Type>): Target;
  /** Never rejects: a failure is an outcome. The caller owns the deadline. */
  run(target: Target, ctx: ProbeContext): Promise<ProbeOutcome>;
}
