import type { ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";

/** A channel of Sonde, or why there is none. */
export type ReadChannel =
  | { type: ChannelTypeName; config: Record<string, unknown>; notes?: TranslatableText[] }
  | { refused: TranslatableText };
/** A notification's own settings: JSON, flat, each field named after its type. */
export type KumaSettings = Record<string, unknown>;

/** A field as text; undefined where it is empty. */
export function textField(given: KumaSettings, name: string): string | undefined {
  const value = given[name];
  const read = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return read === "" ? undefined : read;
}
