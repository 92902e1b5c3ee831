import * as z from "zod";
import {
  publicAgent,
  publicAgentStates,
  publicGroup,
  publicIncident,
  publicMaintenance,
  publicMonitor,
  publicMonitorStates,
} from "./status.ts";
import { statusConfig } from "./config.ts";
import { usualLanguages } from "./languages.ts";

/** Slug of the page at `/status`. */
export const defaultSlug = "default";
/** Path of a page on the installation's own host, and on custom domains. */
export const pagePath = (slug: string): string => (slug === defaultSlug ? "/status" : `/status/${slug}`);
/** Keys of the bucket `status`. */
export const pageKey = (slug: string) => `${slug}.page`;
export const statesKey = (slug: string) => `${slug}.states`;

const pageSettings = statusConfig.omit({
  monitors: true,
  agents: true,
  groups: true,
  names: true,
  showIncidents: true,
  subscriptions: true,
  footer: true,
});

/**
 * Content of a public page except current states. status-page renders the documents from it, and starts with it after a
 * restart. Everything in it is public. Stored as gzipped JSON.
 */
export const pageSnapshot = z.object({
  /** Increases with each snapshot: epoch milliseconds, or the last revision plus one. */
  revision: z.int(),
  /** When all data was current; epoch milliseconds. */
  builtAtMs: z.number(),
  /** Page settings; new settings are included unless omitted here. */
  page: z.object({
    ...pageSettings.shape,
    // Snapshots of the previous version lack them.
    logo: z.string().nullable().default(null),
    favicon: z.string().nullable().default(null),
    languages: pageSettings.shape.languages.default(usualLanguages),
    css: z.string().default(""),
    /** Rendered from Markdown. */
    footerHtml: z.string().default(""),
    // Validated when saved.
    logoUrl: z.string().nullable(),
    embedOrigins: z.array(z.string()),
    /** True if visitors can subscribe by email. */
    subscribable: z.boolean(),
  }),
  groups: z.array(publicGroup),
  monitors: z.array(publicMonitor.omit({ status: true, since: true })),
  agents: z.array(publicAgent.omit({ status: true, since: true })),
  incidents: z.array(publicIncident),
  maintenance: z.array(publicMaintenance),
});
export type PageSnapshot = z.infer<typeof pageSnapshot>;

const state = <Status extends z.ZodType>(status: Status) => z.object({ status, sinceMs: z.number() });

/** Current states of the services shown: small and updated immediately. Stored as gzipped JSON. */
export const pageStates = z.object({
  revision: z.int(),
  /** When the states were last confirmed; epoch milliseconds. */
  atMs: z.number(),
  monitors: z.record(z.string(), state(z.enum(publicMonitorStates))),
  agents: z.record(z.string(), state(z.enum(publicAgentStates))),
});
export type PageStates = z.infer<typeof pageStates>;

/** status-page confirms published states every minute. */
export const outdatedAfterMs = 180_000;

/** Returns true if the states are too old to be trusted. */
export const isOutdated = ({ atMs }: Pick<PageStates, "atMs">, nowMs: number): boolean =>
  nowMs - atMs > outdatedAfterMs;

/** When the states were last confirmed; `null` if never. */
export const updatedAtOf = ({ atMs }: Pick<PageStates, "atMs">): string | null =>
  atMs === 0 ? null : new Date(atMs).toISOString();
