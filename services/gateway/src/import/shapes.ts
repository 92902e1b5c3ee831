import type { ImportedType } from "@sonde/proto/http/import";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";

/** The contents of a file in Sonde's terms, before validation. `key` is the name that the rest of the file uses. */
export type Draft = {
  monitors: DraftMonitor[];
  channels: DraftChannel[];
  templates: DraftTemplate[];
  /** Each monitor names its channels, and there are no default settings. */
  tellsByMonitor: boolean;
  /** The file's default settings; null: none. */
  globalMonitor: DraftSettings | null;
  globalAgent: DraftSettings | null;
  /** What became tags, and of how many monitors. */
  groups: { name: string; count: number }[];
  refused: RefusedObject[];
};

export type RefusedObject = { type: ImportedType; name: string | TranslatableText; why: TranslatableText };

export type DraftMonitor = {
  key: number;
  name: string;
  /** As `POST /api/monitors` takes it, unchecked; `dependsOn` names keys. */
  input: Record<string, unknown>;
  notes: TranslatableText[];
  settings: DraftSettings | null;
};

export type DraftChannel = {
  key: number;
  name: string;
  type: ChannelTypeName;
  enabled: boolean;
  config: Record<string, unknown>;
  notes: TranslatableText[];
  /** Names of secrets that the file lacks: without them only a channel that is there already can be used. */
  missing: string[];
};

export type DraftTemplate = { key: number; name: string; kind: string; subject: string; content: string };

/**
 * The channels to notify. `channels` are keys; `lost`: the number of the file's channels that cannot be imported.
 * `more` is the rest of the settings, as the notifier stores them.
 */
export type DraftSettings = {
  channels: number[];
  lost: number;
  templateKey: number | null;
  more: Record<string, unknown>;
};

/** A file as it is sent to the services: small enough to be passed between threads. */
export type PreparedImport = {
  /** Those that are valid by themselves, in the order of the lines. */
  monitors: PreparedMonitor[];
  /** What `POST /api/monitors` takes, in parts that one message of the bus holds. */
  parts: Record<string, unknown>[][];
  /** All lines, by Brotli, as base64. */
  zipped: string;
  channels: PreparedChannel[];
  templates: DraftTemplate[];
  tellsByMonitor: boolean;
  globalMonitor: PreparedSettings | null;
  globalAgent: PreparedSettings | null;
  groups: { name: string; count: number }[];
  refused: RefusedObject[];
};

export type PreparedMonitor = {
  name: string;
  target: string;
  paused: boolean;
  tags: string[];
  notes: TranslatableText[];
  settings: PreparedSettings | null;
};

export type PreparedChannel = {
  key: number;
  name: string;
  type: ChannelTypeName;
  enabled: boolean;
  /** Null: it lacks what it cannot do without, and only one that is there already can be used. */
  config: Record<string, unknown> | null;
  notes: TranslatableText[];
};

/** `more` is JSON of what the settings are beside channels and template. */
export type PreparedSettings = { channels: number[]; lost: number; templateKey: number | null; more: string };

/** The effect of an import, and its report. */
export type DecidedImport = {
  will: PlannedObject[];
  cannot: RefusedObject[];
  /** Lines to be created, from 1, and the ids that other lines have already. */
  lines: number[];
  existing: Map<number, number>;
  channels: PreparedChannel[];
  templates: PreparedImport["templates"];
  settings: ImportedSetting[];
};
export type PlannedObject = {
  type: ImportedType;
  name: string | TranslatableText;
  detail?: string;
  paused?: true;
  tags?: string[];
  notes: TranslatableText[];
};

/** `line`: of the monitor; 0: for all. */
export type ImportedSetting = {
  scope: "global-monitor" | "global-agent" | "monitor";
  line: number;
  value: Record<string, unknown>;
};

/** `ids`: of a key the id that is there already, or -1 for the first that is created. */
export type ImportChoice<Item> = {
  created: Item[];
  ids: Map<number, number>;
  names: Map<number, string>;
  will: PlannedObject[];
};
