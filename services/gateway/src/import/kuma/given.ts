import type { ChannelTypeName } from "@sonde/proto/http/channel-types";
import type { Told } from "@sonde/proto/http/import-reasons";

/** A channel of Sonde, or why there is none. */
export type ReadChannel =
  | { type: ChannelTypeName; config: Record<string, unknown>; notes?: Told[] }
  | { refused: Told };
/** A notification's own settings: JSON, flat, each field named after its type. */
export type Given = Record<string, unknown>;

/** A field as text; undefined where it is empty. */
export function said(given: Given, name: string): string | undefined {
  const value = given[name];
  const read = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return read === "" ? undefined : read;
}
