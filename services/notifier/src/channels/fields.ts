import { type FieldFault, invalid } from "@sonde/kit/errors";
import type { PlainConfig } from "@sonde/kit/sealed-config";
import { type ChannelTypeName, channelTypeNames } from "@sonde/proto/http/channel-types";
import { faultsOf } from "@sonde/proto/http/issues";
import { channelPatch } from "@sonde/proto/http/notification-channels";

/** The fields of a channel that an input gives. */
export type GivenChannel = { name?: string; type?: ChannelTypeName; enabled?: boolean; config?: PlainConfig };

/**
 * Reads the fields of an input that are there, `config` from its JSON; its own fields are checked by its type.
 * @throws AppError invalid
 */
export function readFields(given: { name?: string; type?: string; enabled?: boolean; config?: string }): GivenChannel {
  const config = given.config === undefined ? undefined : readJson(given.config);
  const parsed = channelPatch.safeParse({ ...given, config });
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues));
  const faults = unstorable(parsed.data.config ?? {}, "config");
  if (faults.length > 0) throw invalid(faults);
  return parsed.data;
}

/** A type by its name. @throws AppError invalid that names those that there are */
export function readType(name: string): ChannelTypeName {
  const { type } = readFields({ type: name });
  return type ?? channelTypeNames[0];
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid([{ path: "config", message: "The body must be a JSON object" }]);
  }
}

/** The paths of texts that PostgreSQL cannot keep: those with the NUL character or half a surrogate pair. */
function unstorable(value: unknown, path: string): FieldFault[] {
  if (typeof value === "string") {
    return value.includes("\0") || !value.isWellFormed() ? [{ path, message: "This value is not valid" }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => unstorable(part, `${path}.${name}`));
}
