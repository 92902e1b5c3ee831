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

/** The slug of the page that `/status` shows. */
export const defaultSlug = "default";
/** Where a page is on the installation's own host, and on hosts of its own. */
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
});

/**
 * What the public page shows, but for the present states. status-page makes the page's documents of it, and begins with it
 * after a restart. Everything in here is public. Kept as gzipped JSON.
 */
export const pageSnapshot = z.object({
  /** Rises with each that is made: epoch milliseconds, or one more than the last. */
  revision: z.int(),
  /** When all of it was known to be so; epoch milliseconds. */
  builtAtMs: z.number(),
  /** Settings of the page by their names; a new one is here unless it is left out. */
  page: z.object({
    ...pageSettings.shape,
    // Checked when they were saved.
    logoUrl: z.string().nullable(),
    embedOrigins: z.array(z.string()),
    /** Whether people may subscribe by mail. */
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

/** The present states of what the page shows: changes at once, and is small. Kept as gzipped JSON. */
export const pageStates = z.object({
  revision: z.int(),
  /** When they were last known to be so; epoch milliseconds. */
  atMs: z.number(),
  /** By id. */
  monitors: z.record(z.string(), state(z.enum(publicMonitorStates))),
  agents: z.record(z.string(), state(z.enum(publicAgentStates))),
});
export type PageStates = z.infer<typeof pageStates>;

/** status-page confirms each minute that what it published still holds. */
export const outdatedAfterMs = 180_000;

/** Whether the states are so old that they may not hold any more. */
export const isOutdated = ({ atMs }: Pick<PageStates, "atMs">, nowMs: number): boolean =>
  nowMs - atMs > outdatedAfterMs;

/** When the states were last known to hold; null: never yet. */
export const updatedAtOf = ({ atMs }: Pick<PageStates, "atMs">): string | null =>
  atMs === 0 ? null : new Date(atMs).toISOString();
