import { textOf } from "../formats/texts.ts";
import type { Layer } from "@sonde/proto/http/on-call/schedules";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";

/** A schedule of another product. Members are mail addresses or, without one, names. */
export type ImportedSchedule = {
  name: string;
  timeZone: string;
  /** A later layer replaces the ones before it. */
  layers: (Omit<Layer, "members"> & { members: string[] })[];
  overrides: { member: string; start: string; end: string }[];
  /** How it differs from the original. */
  notes: TranslatableText[];
};
export type ImportedLayer = ImportedSchedule["layers"][number];

export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
export const numberOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** ISO 8601: 1 is Monday. 0 if unknown. */
export const weekdayOf = (name: unknown): number =>
  ["mo", "tu", "we", "th", "fr", "sa", "su"].indexOf(textOf(name).slice(0, 2).toLowerCase()) + 1;
