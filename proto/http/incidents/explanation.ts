import * as z from "zod";
import { instant } from "../envelope.ts";
import { fingerprint } from "./fingerprint.ts";

/** Something that happened before an incident and may explain it. */
export const precedingEvent = z.object({
  at: instant,
  type: z.enum(["edit", "change", "maintenance"]),
  text: z.string().meta({ description: "A sentence in the requested language." }),
  link: z.string().optional(),
  fields: z.array(z.string()).optional().meta({ description: "Names of the edited fields, for administrators." }),
});
export type PrecedingEvent = z.infer<typeof precedingEvent>;

/** The most telling ones first. */
export const fingerprintFacts = fingerprint.omit({ at: true }).keyof().options;
export type FingerprintFact = (typeof fingerprintFacts)[number];

/** The hour before an incident, and its first failed check next to the last successful one. */
export const whatChanged = z.object({
  location: z.string().optional(),
  lastGood: fingerprint.optional(),
  firstBad: fingerprint.optional(),
  differences: z
    .array(z.enum(fingerprintFacts))
    .meta({ description: "Facts that differ between the two checks; `timings` only if a phase took much longer." }),
  events: z.array(precedingEvent),
});
export type WhatChanged = z.infer<typeof whatChanged>;

/** From the most specific fact to the broadest. */
export const causeFacts = [
  "address",
  "certificate",
  "name",
  "network",
  "proxy",
  "resolver",
  "agent",
  "domain",
  "location",
] as const;
export type CauseFact = (typeof causeFacts)[number];

/** A fact that failing targets share and healthy ones do not. It never defers an alert. */
export const sharedCause = z.object({
  fact: z.enum(causeFacts),
  value: z.string(),
  sharing: z.int().meta({ description: "Number of failing targets that share the fact." }),
  failing: z.int(),
  healthy: z.int().meta({ description: "Targets that are up. None of them shares the fact." }),
  incidentIds: z.array(z.string()).max(200).meta({ description: "Incidents of the targets that share the fact." }),
});
export type SharedCause = z.infer<typeof sharedCause>;

/** Route to the target from one location. */
export const tracedPath = z.object({
  at: instant,
  location: z.string(),
  address: z.string().max(64),
  recovered: z.boolean().meta({ description: "True if traced at recovery, false if traced at the failure." }),
  hops: z
    .array(z.object({ ttl: z.int(), address: z.string().max(64).optional(), roundTrip: z.number().optional() }))
    .max(20)
    .meta({
      description: "A hop without an address did not reply. Only the target has `roundTrip`, in milliseconds.",
    }),
});
export type TracedPath = z.infer<typeof tracedPath>;
