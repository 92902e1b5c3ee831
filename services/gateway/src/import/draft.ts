import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { ImportedType } from "@sonde/proto/http/import";
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
