import { record } from "@sonde/kit/audit";
import { AppError, invalid, toAppError } from "@sonde/kit/errors";
import { orUnavailable, type Database } from "@sonde/kit/postgres/database";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { channelPatch } from "@sonde/proto/http/notifications/channels";
import { templateInput } from "@sonde/proto/http/notifications/templates";
import type { ImportFault, NotificationsImport, NotificationsUndo } from "@sonde/proto/rpc/notifications";
import type { z } from "zod";
import { deciding } from "../alerts/deciding.ts";
import { channelOf, deleteChannel, insertChannel } from "../channels/channels.ts";
import type { Context } from "../context.ts";
import { enqueueThresholds } from "../settings/projection.ts";
import { lockExisting, removeSettings, replan, requireRoom } from "../settings/settings.ts";
import { isGlobal, type NewSetting, saveSettings, schemaOf } from "../settings/store.ts";
import { deleteTemplate, insertTemplate } from "../templates/templates.ts";

type Imported = { channelIds?: number[]; templateIds?: number[]; faults?: ImportFault[] };

const mostSettings = 2_000;

/**
 * Writes channels, templates and settings in one transaction; a dry run only reports the faults of the first two.
 * @throws AppError invalid; impossible if there are too many, or a reference of the settings does not exist; too_large
 */
export async function importNotifications(ctx: Context, request: NotificationsImport): Promise<Imported> {
  if (request.dryRun) return { faults: faultsOfAll(ctx, request) };
  if (request.settings.length > mostSettings) {
    throw invalid([{ path: "settings", message: "Too many entries (at most {max})", params: { max: mostSettings } }]);
  }
  const made = await orUnavailable(() => deciding(ctx.db, (trx) => write({ ...ctx, db: trx }, request)));
  ctx.committed();
  return made;
}

async function write(ctx: Context, { channels, templates, settings }: NotificationsImport) {
  const made: { channelIds: number[]; templateIds: number[] } = { channelIds: [], templateIds: [] };
  const nowMs = ctx.clock.now();
  for (const channel of channels) {
    made.channelIds.push((await insertChannel(ctx.db, channelOf(ctx, check(newChannel, channel)), nowMs)).id);
  }
  for (const template of templates) {
    made.templateIds.push((await insertTemplate(ctx.db, check(templateInput, template), nowMs)).id);
  }
  const values = settings.map((setting) => settingOf(setting, made));
  await requireExisting(ctx.db, values);
  if (values.length > 0) await saveSettings(ctx.db, values);
  await requireRoom(ctx.db);
  for (const setting of values) {
    await enqueueThresholds(ctx.db, setting);
    // Monitors that are new have no incident yet.
    if (isGlobal(setting.scope)) await replan(ctx.db, ctx.log, setting, nowMs);
  }
  await recordImport(ctx.db, { after: countsOf({ ...made, settings }) });
  return made;
}

type Counts = Record<"channels" | "templates" | "settings", number>;

/** Keeps in the audit how many of each came, or were taken back. */
const recordImport = (trx: Database, counts: { before: Counts } | { after: Counts }): Promise<void> =>
  record(trx, "notifier", {
    action: "import",
    target: { type: "installation", id: "installation", name: "" },
    ...counts,
  });

const countsOf = ({ channelIds, templateIds, settings }: ImportedIds & { settings: readonly unknown[] }): Counts => ({
  channels: channelIds.length,
  templates: templateIds.length,
  settings: settings.length,
});

/** The fields of a new channel; its configuration is checked by its type. */
const newChannel = channelPatch.required();

/** @throws AppError invalid */
function check<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(given);
  if (error) throw invalid(faultsOf(error.issues));
  return data;
}

function faultsOfAll(ctx: Context, { channels, templates }: NotificationsImport): ImportFault[] {
  const found = (look: () => void, place: Pick<ImportFault, "channel" | "template">): ImportFault[] => {
    try {
      look();
      return [];
    } catch (thrown) {
      return [{ ...place, ...inWords(toAppError(thrown)) }];
    }
  };
  return [
    ...channels.flatMap((channel, at) => found(() => channelOf(ctx, check(newChannel, channel)), { channel: at })),
    ...templates.flatMap((template, at) => found(() => check(templateInput, template), { template: at })),
  ];
}

function inWords({ key, params, details }: AppError): Pick<ImportFault, "message" | "params"> {
  const [first] = details;
  return { message: first?.message ?? key, params: first?.params ?? params };
}

/** Takes back channels, templates and settings that an import wrote, in one transaction. */
export async function undoImport(ctx: Context, request: NotificationsUndo): Promise<void> {
  const { channelIds, templateIds, settings } = request;
  await orUnavailable(() =>
    removeSettings(ctx, settings, async (trx) => {
      for (const id of channelIds) await deleteChannel(trx, id);
      for (const id of templateIds) await deleteTemplate(trx, id);
      await recordImport(trx, { before: countsOf(request) });
    }),
  );
  // Alerts decided meanwhile for such a channel fail now.
  ctx.due();
}

/** The ids of what an import made, in its order. */
type ImportedIds = { channelIds: readonly number[]; templateIds: readonly number[] };

/** Settings with references resolved to ids. @throws AppError invalid */
function settingOf({ scope, targetId, value }: NotificationsImport["settings"][number], made: ImportedIds): NewSetting {
  return { scope, targetId: isGlobal(scope) ? 0 : targetId, value: check(schemaOf(scope), withIds(value, made)) };
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

/** @throws AppError impossible where a channel or template that settings name is not there */
async function requireExisting(trx: Database, settings: readonly NewSetting[]): Promise<void> {
  const channels = new Set(settings.flatMap(({ value }) => value.channels));
  const templates = new Set(settings.flatMap(({ value }) => value.templateId ?? []));
  if ((await lockExisting(trx, "channels", [...channels])).size < channels.size) {
    throw new AppError("impossible", "Notification channel does not exist");
  }
  if ((await lockExisting(trx, "templates", [...templates])).size < templates.size) {
    throw new AppError("impossible", "Notification template does not exist");
  }
}
