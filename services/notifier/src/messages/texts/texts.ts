import type { IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { AlertKind } from "@sonde/proto/http/incidents/alerts";

/** The parts of an alert's sentences, already worded in their language. */
export type WordedFacts = {
  name: string;
  incidentKind: IncidentKind;
  resolution?: IncidentResolution;
  /** Why it opened. */
  cause: string;
  /** CPU, Disk /data; empty without a metric. */
  metric: string;
  /** Percent; empty where not known. */
  value: string;
  threshold: string;
  /** From its opening to its end, or until now. */
  duration: string;
  /** How often it failed again. */
  flaps: number;
  /** Counts from 1; 0: this is none. */
  reminder: number;
  /** Those that depend on it and are not alerted themselves: some by name, all by number. */
  dependents: { names: readonly string[]; count: number };
};

/** Kinds of alerts with their counts, for the title of a message of several. */
export type AlertCounts = readonly { kind: AlertKind; count: number }[];

export type Texts = {
  /** One line a kind: what a phone shows on its locked screen. A reminder has its opening's kind. */
  titles: Readonly<Record<AlertKind, (told: WordedFacts) => string>>;
  /** Lines below the title, beside the fields. Empty ones are left out. */
  lines: Readonly<Record<AlertKind, (told: WordedFacts) => readonly string[]>>;
  /** Replaces both if users ended it. */
  endedByPeople: { title: (told: WordedFacts) => string; lines: (told: WordedFacts) => readonly string[] };
  /** The line below a title in a message of several. */
  brief: (told: WordedFacts & { isOver: boolean; at: string }) => string;
  /** The title of a message of several alerts. */
  several: (total: number, counted: AlertCounts) => string;
  /** In place of those that have no room: how many, and the commonest causes. */
  more: { title: (count: number) => string; causes: (counted: readonly { cause: string; count: number }[]) => string };
  labels: Readonly<Record<Label, string>>;
  links: { incident: string; acknowledge: string };
  /** `{{status}}` and `{{previousStatus}}`. */
  statuses: Readonly<Record<AlertStatus, string>>;
  /** cpu, memory, disk:/data */
  metric: (name: string) => string;
  list: (names: readonly string[]) => string;
};

export type AlertStatus =
  | IncidentKind
  | Exclude<IncidentResolution, "recovered">
  | "fresh"
  | "flapping"
  | "upMonitor"
  | "upAgent"
  | "cleared"
  | "test";

export const labelNames = [
  "since",
  "until",
  "duration",
  "address",
  "hostname",
  "ipAddresses",
  "os",
  "statusCode",
  "responseTime",
  "location",
  "tags",
  "note",
] as const;
export type Label = (typeof labelNames)[number];
