import { AppError, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import type { NotificationSettings, SettingScope } from "@sonde/proto/http/notifications/settings";
import type { NotificationsImport } from "@sonde/proto/rpc/notifications";
import { mostOverrides } from "../settings/put.ts";
import { isGlobal, schemaOf } from "../settings/setting.ts";

/** Settings with references resolved to ids. */
type NewSetting = { scope: SettingScope; targetId: number; value: NotificationSettings };
/** The ids of what an import made, in its order. */
export type ImportedIds = { channelIds: readonly number[]; templateIds: readonly number[] };

/** @throws AppError invalid */
export function readSetting(
  { scope, targetId, value }: NotificationsImport["settings"][number],
  made: ImportedIds,
): NewSetting {
  const given = withIds(value, made);
  const { data, error } = schemaOf(scope).safeParse(given);
  if (data === undefined) throw invalid(faultsOf(error.issues));
  return { scope, targetId: isGlobal(scope) ? 0 : targetId, value: data };
}

function withIds(given: Record<string, unknown>, { channelIds, templateIds }: ImportedIds): Record<string, unknown> {
  const idOf = (ids: readonly number[], id: unknown) => (typeof id === "number" && id < 0 ? ids[-id - 1] : id);
  const { channels, templateId } = given;
  return {
    ...given,
    ...(Array.isArray(channels) ? { channels: channels.map((id) => idOf(channelIds, id)) } : {}),
    ...(templateId === undefined ? {} : { templateId: idOf(templateIds, templateId) }),
  };
}

/**
 * Writes settings of targets that have none, and those for all.
 * @throws AppError impossible where a channel or template that they name is not there, or there are too many
 */
export async function insertSettings(trx: Database, settings: readonly NewSetting[]): Promise<void> {
  if (settings.length === 0) return;
  await requireExisting(trx, settings);
  const rows = settings.map(({ scope, targetId, value }) => ({
    scope,
    targetId,
    value: JSON.stringify(value),
    revision: trx.raw("nextval('revisions')"),
    deletedAtMs: null,
  }));
  await trx("settings").insert(rows).onConflict(["scope", "target_id"]).merge();
  const overrides = await trx("settings")
    .whereIn("scope", ["monitor", "agent"])
    .whereNull("deleted_at_ms")
    .count<{ count: number }[]>("* as count")
    .first();
  if ((overrides?.count ?? 0) <= mostOverrides) return;
  const params = { max: mostOverrides };
  throw new AppError("impossible", "There are {max} settings of single targets already, delete one first", { params });
}

async function requireExisting(trx: Database, settings: readonly NewSetting[]): Promise<void> {
  const channels = [...new Set(settings.flatMap(({ value }) => value.channels))];
  const templates = [...new Set(settings.flatMap(({ value }) => value.templateId ?? []))];
  const known = async (table: string, ids: number[]) =>
    (await trx(table).whereRaw("id = any(?)", [ids]).orderBy("id").forShare().pluck<number[]>("id")).length;
  if ((await known("channels", channels)) < channels.length) {
    throw new AppError("impossible", "Notification channel does not exist");
  }
  if ((await known("templates", templates)) < templates.length) {
    throw new AppError("impossible", "Notification template does not exist");
  }
}
