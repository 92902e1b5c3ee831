import { networkOf, parseAddress, withoutMapping } from "@sonde/kit/addresses";
import type { CauseFact } from "@sonde/proto/http/incidents/explanation";
import { fingerprint } from "@sonde/proto/http/incidents/fingerprint";
import type { z } from "zod";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";

/** A fact and its value: `address 203.0.113.7`. */
export type FactKey = `${CauseFact} ${string}`;

const maxBytes = 8 * 1024;
const identity = fingerprint.pick({ addresses: true, names: true, resolver: true, proxy: true, certificate: true });

/** Reads where a runner found a target. Returns `undefined` if the fingerprint is missing, invalid or too large. */
export function readFacts(json: string | undefined): FactKey[] | undefined {
  if (json === undefined || Buffer.byteLength(json) > maxBytes) return undefined;
  try {
    return factsIn(identity.parse(JSON.parse(json)));
  } catch {
    return undefined;
  }
}

function factsIn(seen: z.infer<typeof identity>): FactKey[] | undefined {
  const { addresses = [], names = [], resolver, proxy, certificate } = seen;
  const valid = addresses.flatMap((text) => parseAddress(withoutMapping(text)) ?? []);
  const facts = [
    ...valid.flatMap((address): FactKey[] => [`address ${address.toString()}`, `network ${networkOf(address)}`]),
    ...names.map((name): FactKey => `name ${name.toLowerCase().replace(/\.$/, "")}`),
    ...(resolver === undefined ? [] : [`resolver ${resolver}` as const]),
    ...(proxy === undefined ? [] : [`proxy ${proxy}` as const]),
    ...(certificate === undefined ? [] : [`certificate ${certificate.serial} (${certificate.issuer})` as const]),
  ];
  // PostgreSQL rejects NUL and half characters.
  return facts.every((fact) => fact.isWellFormed() && !fact.includes("\0")) ? [...new Set(facts)] : undefined;
}

/** Facts from the newest check with this status at a location. */
export type SeenTarget = { location: string; status: "up" | "down"; atMs: number; facts: readonly FactKey[] };

export function factOf(key: FactKey): { fact: CauseFact; value: string } {
  const at = key.indexOf(" ");
  return { fact: key.slice(0, at) as CauseFact, value: key.slice(at + 1) };
}

/**
 * Returns the facts of a failing target as seen from the given locations. A failed check may stop before it finds all
 * facts; the others come from the last successful check.
 */
export function failingFacts(seen: readonly SeenTarget[], locations: readonly string[]): FactKey[] {
  const facts = locations.flatMap((location) => {
    const of = (status: SeenTarget["status"]) => seen.find((one) => one.location === location && one.status === status);
    const [good, bad] = [of("up"), of("down")];
    const newer = bad !== undefined && bad.atMs > (good?.atMs ?? 0) ? bad.facts : [];
    const found = new Set(newer.map((key) => factOf(key).fact));
    return [...newer, ...(good?.facts.filter((key) => !found.has(factOf(key).fact)) ?? [])];
  });
  return [...new Set(facts)];
}

export type DescribedTarget = { target: string; dependsOn: readonly TargetRef[]; locations: readonly string[] };

/** @param domainOf returns the registrable domain of an address, `null` if it has none */
export function definedFacts(
  { target, dependsOn, locations }: DescribedTarget,
  domainOf: (target: string) => string | null,
): FactKey[] {
  const domain = domainOf(target);
  return [
    ...dependsOn.flatMap(({ type, id }): FactKey[] => (type === "agent" ? [`agent ${id}`] : [])),
    ...(domain === null ? [] : [`domain ${domain}` as const]),
    ...locationFacts(locations),
  ];
}

export const locationFacts = (locations: readonly string[]): FactKey[] =>
  locations.map((location): FactKey => `location ${location}`);
