import type { Check, CheckType } from "@sonde/proto/http/kinds";
import { http } from "./http.ts";
import type { Outcome, ProbeContext } from "./outcome.ts";
import type { AnyTarget, Probe } from "./probe.ts";
import { tcp } from "./tcp.ts";
import { tls } from "./tls.ts";

/** Every kind of check that can be carried out. A new one is its file and its line here. */
const probes = { http, tcp, tls } satisfies { [Type in CheckType]?: Probe<Type, AnyTarget<Type>> };

export type Target = ReturnType<(typeof probes)[keyof typeof probes]["compile"]>;

// TypeScript does not see that the kind of a check and that of its probe are the same.
const byKind: Readonly<Partial<Record<CheckType, AnyProbe>>> = probes;

interface AnyProbe {
  compile(check: Check): Target;
  run(target: Target, ctx: ProbeContext): Promise<Outcome>;
}

/** Prepares a check. @throws Error where it cannot be carried out */
export function compileCheck(check: Check): Target {
  const probe = byKind[check.type];
  if (probe === undefined) throw new Error(`checks of kind ${check.type} cannot be carried out`);
  return probe.compile(check);
}

/** Runs the probe of the target's kind. Never rejects; the caller owns the deadline. */
export function runProbe(target: Target, ctx: ProbeContext): Promise<Outcome> {
  return byKind[target.kind]!.run(target, ctx);
}
