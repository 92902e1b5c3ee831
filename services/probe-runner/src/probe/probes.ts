import type { Check, CheckType } from "@sonde/proto/http/monitors/kinds";
import type { ProbeOutcome, ProbeContext, AnyTarget } from "./probe.ts";

export type ProbeTarget = AnyTarget;

/** A probe as the common code sees it. It receives checks and targets of its own kind alone. */
interface AnyProbe {
  compile(check: Check): ProbeTarget;
  run(target: ProbeTarget, ctx: ProbeContext): Promise<ProbeOutcome>;
}

const probes = new Map<CheckType, AnyProbe>();

/**
 * Loads a kind's probe, before its first check is prepared, so no check waits for it. All kinds together take 4 MiB, and
 * most installations use few.
 * @throws Error if it does not load
 */
export async function loadKind(type: CheckType): Promise<void> {
  if (!probes.has(type)) probes.set(type, await loadProbe(type));
}

/** Prepares a check of a loaded kind. @throws Error where it cannot be carried out */
export function compileCheck(check: Check): ProbeTarget {
  return { ...probeOf(check.type).compile(check), invert: "invert" in check && check.invert === true };
}

/** Runs the probe of the target's kind. Never rejects; the caller owns the deadline. */
export function runProbe(target: ProbeTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  return probeOf(target.kind).run(target, ctx);
}

function probeOf(type: CheckType): AnyProbe {
  const probe = probes.get(type);
  if (probe === undefined) throw new Error(`checks of kind ${type} are not loaded`);
  return probe;
}

/**
 * Finds the probe of a kind by its name: what `kinds/<type>.ts` exports as `probe`.
 * @throws Error if there is none
 */
export async function loadProbe(type: string, load = importKind): Promise<AnyProbe> {
  const file = `services/probe-runner/src/probe/kinds/${type}.ts`;
  const { probe } = await load(type).catch((cause: unknown) => {
    throw new Error(`Checks of kind ${type} cannot be carried out: ${file} does not load`, { cause });
  });
  if (!isProbe(probe)) {
    throw new Error(`Checks of kind ${type} cannot be carried out: ${file} exports no \`probe\` with compile and run`);
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
