import type { ImportedType } from "@sonde/proto/http/import";
import type { ConfigDocument } from "@sonde/proto/http/config/document";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { AgentSettings, MonitorSettings } from "@sonde/proto/http/notifications/settings";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import { unstorableIn } from "./texts.ts";

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
  /** All channels that notified of it, also by its groups. */
  before?: { key: number; name: string }[];
  templateKey: number | null;
  more: Record<string, unknown>;
};

/** An object of a file as people read of it. */
export type PlannedObject = {
  type: ImportedType;
  name: string | TranslatableText;
  detail?: string;
  paused?: true;
  tags?: string[];
  notes: TranslatableText[];
};

/** A file as a document without a source. */
export type TranslatedImport = {
  config: ConfigDocument;
  /** Of what it holds, by kind and key: `monitor m1`. */
  objects: Record<string, PlannedObject>;
  groups: { name: string; count: number }[];
  refused: RefusedObject[];
};

/** What is here already decides what a file becomes. */
export type ExistingObjects = {
  channels: { id: number; name: string; type: string }[];
  globalMonitor: MonitorSettings;
  globalAgent: AgentSettings;
  /** How many settings of single targets there are. */
  ownSettings: number;
  locations: string[];
};

/** What comes of a file, by its keys there. */
export type Coming = {
  monitors: { draft: DraftMonitor; key: string }[];
  channels: Map<number, { key: string; name: string; thereId: number | undefined }>;
  templates: Map<number, string>;
};

/** Why an object cannot come that has a text which cannot be stored; null: it has none. */
export function whyUnstorable(value: unknown): TranslatableText | null {
  const path = unstorableIn(value);
  return path === null ? null : whyOf([{ path, message: "This value is not valid" }]);
}

/** The first fault, with the field that has it. */
export function whyOf([first]: readonly FieldFault[]): TranslatableText {
  if (first === undefined) return { text: "This value is not valid" };
  const fault: TranslatableText = { text: first.message, params: { ...first.params } };
  if (first.path === "") return fault;
  return { text: "{field}: {fault}", params: { field: first.path.slice(0, 80), fault } };
}
