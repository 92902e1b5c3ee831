import type { Impact } from "@sonde/proto/http/status";
import { type PageSnapshot, pageSnapshot, type PageStates, pageStates } from "@sonde/proto/http/status-snapshot";
import { hash } from "node:crypto";
import { gunzipSync } from "node:zlib";

/** What a snapshot and the states may inflate to; 500 services with 90 days are some 4 MB, and their states 40 KB. */
const largestPageBytes = 16 * 2 ** 20;
const largestStatesBytes = 2 ** 20;

/** What the serving thread must know of a snapshot; the rest of it stays where documents are made. */
export type Summary = {
  revision: number;
  page: PageSnapshot["page"];
  /** Ids of what the page shows. */
  monitors: number[];
  agents: number[];
  incidents: string[];
  /** Of announcements that are open. */
  openImpacts: Impact[];
  /** Changes whenever a visitor should fetch the page anew; figures of the days that are shown are not in it. */
  content: string;
};

/**
 * Reads a snapshot as KV holds it: gzipped JSON; keys that the schema does not know are dropped. It takes tens of
 * milliseconds for 500 services: not for a thread that serves. @throws where it cannot be read
 */
export function readPage(value: Uint8Array): PageSnapshot {
  const text = gunzipSync(value, { maxOutputLength: largestPageBytes }).toString();
  return pageSnapshot.parse(JSON.parse(text));
}

/** Reads the states as KV holds them. The most that they may be inflates in a millisecond. @throws where they cannot be read */
export function readStates(value: Uint8Array): PageStates {
  const text = gunzipSync(value, { maxOutputLength: largestStatesBytes }).toString();
  return pageStates.parse(JSON.parse(text));
}

export function summarize(snapshot: PageSnapshot): Summary {
  const { revision, page, groups, monitors, agents, incidents, maintenance } = snapshot;
  const shown = (targets: readonly { id: number; name: string; days: readonly { date: string }[] }[]) =>
    targets.map(({ id, name, days }) => [id, name, days.at(-1)?.date]);
  const content = [page, groups, shown(monitors), shown(agents), incidents, maintenance];
  return {
    revision,
    page,
    monitors: monitors.map(({ id }) => id),
    agents: agents.map(({ id }) => id),
    incidents: incidents.map(({ id }) => id),
    openImpacts: incidents.flatMap(({ kind, closedAt, impact }) =>
      kind === "announced" && closedAt === undefined ? (impact ?? []) : [],
    ),
    content: hash("sha256", JSON.stringify(content), "base64url"),
  };
}
