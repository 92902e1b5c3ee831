import type { ImportedType } from "@sonde/proto/http/import";
import type { Told } from "@sonde/proto/http/import-reasons";
import type { Refused } from "./draft.ts";
import type { Prepared, PreparedChannel } from "./prepared.ts";

/** What an import does, and what is said of it. */
export type Decided = {
  will: Coming[];
  cannot: Refused[];
  /** Lines to be created, from 1, and the ids that other lines have already. */
  lines: number[];
  existing: Map<number, number>;
  channels: PreparedChannel[];
  templates: Prepared["templates"];
  settings: NewSetting[];
};
export type Coming = {
  type: ImportedType;
  name: string | Told;
  detail?: string;
  paused?: true;
  tags?: string[];
  notes: Told[];
};

/** `line`: of the monitor; 0: for all. */
export type NewSetting = {
  scope: "global-monitor" | "global-agent" | "monitor";
  line: number;
  value: Record<string, unknown>;
};

/** `ids`: of a key the id that is there already, or -1 for the first that is created. */
export type Chosen<Item> = { created: Item[]; ids: Map<number, number>; names: Map<number, string>; will: Coming[] };
