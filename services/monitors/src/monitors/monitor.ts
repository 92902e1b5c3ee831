import type { MonitorStatus } from "@sonde/proto/http/monitors";

/** A header as it is kept: where `secret`, the value is sealed. */
export type StoredHeader = { name: string; value: string; secret: boolean };
/** `isNumber`: the value was given as a number; absent where that was not kept. */
export type StoredAssertion = { source: string; property: string; op: string; value: string; isNumber?: boolean };

/** What a person sets, in the units that are kept. */
export type Definition = {
  name: string;
  url: string;
  method: string;
  intervalMs: number;
  timeoutMs: number;
  expectedStatus: string;
  headers: StoredHeader[];
  body: string | null;
  followRedirects: boolean;
  verifyTls: boolean;
  retries: number;
  assertions: StoredAssertion[];
  tags: string[];
  locations: string[];
};

/** What Sonde keeps beside it. */
export type MonitorState = {
  status: MonitorStatus;
  statusSinceMs: number;
  version: number;
  /** Figures of an earlier version tell of something else and are not shown. */
  figuresVersion: number;
  /** Since when slots of this version are due; null while paused. */
  activeSinceMs: number | null;
  createdAtMs: number;
  updatedAtMs: number;
};

/** `flapping`: it goes down and comes back all the time. */
export type StoredMonitor = Definition & MonitorState & { id: number; revision: number; flapping: boolean };

/** What of a definition decides a check: when none of it changes, neither version nor state do. */
export function whatIsChecked(definition: Definition): string {
  return JSON.stringify([
    [definition.url, definition.method, definition.intervalMs, definition.timeoutMs, definition.expectedStatus],
    [definition.body, definition.followRedirects, definition.verifyTls, definition.retries],
    definition.headers.map(({ name, value, secret }) => [name, value, secret]),
    definition.assertions.map(({ source, property, op, value }) => [source, property, op, value]),
    [...definition.locations].sort(),
  ]);
}
