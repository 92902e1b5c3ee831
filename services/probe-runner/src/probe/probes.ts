import type { Check, CheckType } from "@sonde/proto/http/kinds";
import { dns } from "./dns.ts";
import { http } from "./http.ts";
import type { Outcome, ProbeContext } from "./outcome.ts";
import type { AnyTarget, Probe } from "./probe.ts";
import { tcp } from "./tcp.ts";
import { tls } from "./tls.ts";

/** Every kind of check that can be carried out. A new one is its file and its line here. */
const probes = { http, tcp, dns, tls } satisfies { [Type in CheckType]: Probe<Type, AnyTarget<Type>> };

export type Target = ReturnType<(typeof probes)[CheckType]["compile"]>;

// TypeScript does not see that the kind of a check and that of its probe are the same.
const byKind: Readonly<Record<CheckType, AnyProbe>> = probes;

interface AnyProbe {
  compile(check: Check): Target;
  run(target: Target, ctx: ProbeContext): Promise<Outcome>;
}

/** Prepares a check. @throws Error where it cannot be carried out */
export function compileCheck(check: Check): Target {
  return byKind[check.type].compile(check);
}

/** Runs the probe of the target's kind. Never rejects; the caller owns the deadline. */
export function runProbe(target: Target, ctx: ProbeContext): Promise<Outcome> {
  return byKind[target.kind].run(target, ctx);
}
