import type { ImportedType } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import type { RefusedObject } from "./draft.ts";
import type { PreparedImport, PreparedChannel } from "./prepared.ts";

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
