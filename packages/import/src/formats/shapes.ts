import type { ImportedType } from "@sonde/proto/http/import";
import type { ConfigDocument } from "@sonde/proto/http/config/document";
import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { AgentSettings, MonitorSettings } from "@sonde/proto/http/notifications/settings";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import type { FieldFault } from "@sonde/proto/http/reasons/issues";
import { unstorableIn } from "./texts.ts";

/** Content of a file in Sonde's terms, not yet validated. A `key` is an id within the file. */
export type Draft = {
  monitors: DraftMonitor[];
  channels: DraftChannel[];
  templates: DraftTemplate[];
  /** The file assigns channels to each monitor and has no default settings. */
  assignsChannelsPerMonitor: boolean;
  globalMonitor: DraftSettings | null;
  globalAgent: DraftSettings | null;
  /** As in an export of Sonde. */
  onCall?: Record<"schedule" | "policy" | "drill", Record<string, unknown>[]>;
  /** As in an export of Sonde. */
  slos?: Record<string, unknown>[];
  refused: RefusedObject[];
};

export type RefusedObject = { type: ImportedType; name: string | TranslatableText; why: TranslatableText };

export type DraftMonitor = {
  key: number;
  name: string;
  /** Unvalidated; `dependsOn` and `members` use keys of the file. */
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
  /** Secrets that the file lacks; without them only an existing channel can be used. */
  missing: string[];
};

export type DraftTemplate = { key: number; name: string; kind: string; subject: string; content: string };

/** `channels` are keys; `lost` counts those that cannot be imported; `more` is as the notifier stores it. */
export type DraftSettings = {
  channels: number[];
  lost: number;
  before?: { key: number; name: string }[];
  templateKey: number | null;
  policyKey?: number | undefined;
  more: Record<string, unknown>;
};

export type PlannedObject = {
  type: ImportedType;
  name: string | TranslatableText;
  detail?: string;
  paused?: true;
  tags?: string[];
  notes: TranslatableText[];
};

export type TranslatedImport = {
  config: ConfigDocument;
  /** By kind and key: `monitor m1`. */
  objects: Record<string, PlannedObject>;
  refused: RefusedObject[];
};

export type ExistingObjects = {
  channels: { id: number; name: string; type: string }[];
  globalMonitor: MonitorSettings;
  globalAgent: AgentSettings;
  ownSettings: number;
  locations: string[];
};

/** By their keys in the file. */
export type ImportedObjects = {
  monitors: { draft: DraftMonitor; key: string }[];
  channels: Map<number, { key: string; name: string; existingId: number | undefined }>;
  templates: Map<number, string>;
  policyKeyOf(id: number): string | undefined;
};

export function whyUnstorable(value: unknown): TranslatableText | null {
  const path = unstorableIn(value);
  return path === null ? null : whyOf([{ path, message: "This value is not valid" }]);
}

export function whyOf([first]: readonly FieldFault[]): TranslatableText {
  if (first === undefined) return { text: "This value is not valid" };
  const fault: TranslatableText = { text: first.message, params: { ...first.params } };
  if (first.path === "") return fault;
  return { text: "{field}: {fault}", params: { field: first.path.slice(0, 80), fault } };
}
