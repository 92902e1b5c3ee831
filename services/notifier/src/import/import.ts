import { type AppError, invalid, toAppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { channelPatch } from "@sonde/proto/http/notifications/channels";
import { templateInput } from "@sonde/proto/http/notifications/templates";
import type { ImportFault, NotificationsImport, NotificationsUndo } from "@sonde/proto/rpc/notifications";
import type { z } from "zod";
import { deciding } from "../alerts/deciding.ts";
import { channelOf, createChannel } from "../channels/channels.ts";
import type { Context } from "../context.ts";
import { enqueueThresholds } from "../settings/projection.ts";
import { replan } from "../settings/replan.ts";
import { isGlobal } from "../settings/setting.ts";
import { createTemplate } from "../templates/templates.ts";
import { insertSettings, readSetting } from "./settings.ts";
import { deleteChannel } from "../channels/store.ts";
import { burySetting } from "../settings/store.ts";
import { deleteTemplate } from "../templates/store.ts";

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
  for (const channel of channels) made.channelIds.push((await createChannel(ctx, check(newChannel, channel))).id);
  for (const template of templates) {
    made.templateIds.push((await createTemplate(ctx, check(templateInput, template))).id);
  }
  const values = settings.map((setting) => readSetting(setting, made));
  await insertSettings(ctx.db, values);
  for (const { scope, targetId } of values) {
    await enqueueThresholds(ctx.db, scope, [targetId]);
    // Monitors that are new have no incident yet.
    if (isGlobal(scope)) await replan(ctx.db, ctx.log, scope, targetId, ctx.clock.now());
  }
  return made;
}

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
  const nowMs = ctx.clock.now();
  await orUnavailable(() =>
    deciding(ctx.db, async (trx) => {
      for (const { scope, targetId } of settings) {
        if (!(await burySetting(trx, scope, targetId, nowMs))) continue;
        await enqueueThresholds(trx, scope, [targetId]);
        await replan(trx, ctx.log, scope, targetId, nowMs);
      }
      for (const id of channelIds) await deleteChannel(trx, id);
      for (const id of templateIds) await deleteTemplate(trx, id);
    }),
  );
  ctx.committed();
  // Alerts decided meanwhile for such a channel fail now.
  ctx.due();
}
