import type { CheckOf, CheckType } from "@sonde/proto/http/monitors/kinds";
import type { ProbeOutcome, ProbeContext } from "./outcome.ts";

/** A check that was read once and is ready to run many times. */
export interface AnyTarget<Type extends CheckType = CheckType> {
  kind: Type;
  /** The host that is dialled or queried. The limit of concurrent checks by host uses it. */
  host: string;
}

/** How one kind of check is carried out. */
export interface Probe<Type extends CheckType, Target extends AnyTarget<Type>> {
  /** @throws Error where the check cannot be carried out; its schema allows none that cannot */
  compile(check: CheckOf<Type>): Target;
  /** Never rejects: a failure is an outcome. The caller owns the deadline. */
  run(target: Target, ctx: ProbeContext): Promise<ProbeOutcome>;
}
