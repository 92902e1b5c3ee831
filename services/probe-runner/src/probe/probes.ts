import type { Check, CheckType } from "@sonde/proto/http/monitors/kinds";
import type { ProbeOutcome, ProbeContext, AnyTarget } from "./probe.ts";

export type ProbeTarget = AnyTarget;

/** A probe as the shared code sees it. It receives only checks and targets of its own kind. */
interface AnyProbe {
  compile(check: Check): ProbeTarget;
  run(target: ProbeTarget, ctx: ProbeContext): Promise<ProbeOutcome>;
}

const probes = new Map<CheckType, AnyProbe>();

/** On demand, since all kinds together take 4 MiB. Call before `compileCheck`. @throws Error if it does not load */
export async function loadKind(type: CheckType): Promise<void> {
  if (!probes.has(type)) probes.set(type, await loadProbe(type));
}

/** Compiles a check of a loaded kind. @throws Error if it cannot be run */
export function compileCheck(check: Check): ProbeTarget {
  return { ...probeOf(check.type).compile(check), invert: "invert" in check && check.invert === true };
}

export function runProbe(target: ProbeTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  return probeOf(target.kind).run(target, ctx);
}

function probeOf(type: CheckType): AnyProbe {
  const probe = probes.get(type);
  if (probe === undefined) throw new Error(`checks of kind ${type} are not loaded`);
  return probe;
}

/** Loads the `probe` that `kinds/<type>.ts` exports. @throws Error if it does not exist */
export async function loadProbe(type: string, load = importKind): Promise<AnyProbe> {
  const file = `services/probe-runner/src/probe/kinds/${type}.ts`;
  const { probe } = await load(type).catch((cause: unknown) => {
    throw new Error(`Checks of kind ${type} cannot run: ${file} does not load`, { cause });
  });
  if (!isProbe(probe)) {
    throw new Error(`Checks of kind ${type} cannot run: ${file} exports no \`probe\` with compile and run`);
  }
  return probe;
}

function importKind(type: string): Promise<{ probe?: unknown }> {
  return import(`./kinds/${type}.ts`) as Promise<{ probe?: unknown }>;
}

function isProbe(value: unknown): value is AnyProbe {
  const { compile, run } = (value ?? {}) as Partial<AnyProbe>;
  return typeof compile === "function" && typeof run === "function";
}
