import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import type { DraftTemplate, RefusedObject } from "./draft.ts";

/** A file as it is sent to the services: small enough to be passed between threads. */
export type PreparedImport = {
  /** Those that are valid by themselves, in the order of the lines. */
  monitors: PreparedMonitor[];
  /** JSON of what `POST /api/monitors` takes, one a line, in parts that one message of the bus holds. */
  parts: Uint8Array[];
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
  /** JSON; null: it lacks what it cannot do without, and only one that is there already can be used. */
  config: string | null;
  notes: TranslatableText[];
};

/** `more` is JSON of what the settings are beside channels and template. */
export type PreparedSettings = { channels: number[]; lost: number; templateKey: number | null; more: string };
