import type { MessageInitShape } from "@bufbuild/protobuf";
import { type AppError, invalid, toAppError } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type {
  ImportFaultSchema,
  ImportNotificationsRequest,
  ImportNotificationsResponseSchema,
} from "@sonde/proto/gen/notifications/v1/notifications";
import { deciding } from "../alerts/deciding.ts";
import { createChannel, readNewChannel } from "../channels/create.ts";
import type { Context } from "../context.ts";
import { enqueueThresholds } from "../settings/projection.ts";
import { replan } from "../settings/replan.ts";
import { isGlobal } from "../settings/setting.ts";
import { createTemplate, readNewTemplate } from "../templates/templates.ts";
import { insertSettings, readSetting } from "./settings.ts";

type Answer = MessageInitShape<typeof ImportNotificationsResponseSchema>;
type Fault = MessageInitShape<typeof ImportFaultSchema>;

const mostSettings = 2_000;

/**
 * Writes channels, templates and settings in one transaction; a dry run only says what is wrong with the first two.
 * @throws AppError invalid; impossible where there are too many, or what settings name is not there; too_large
 */
export async function importNotifications(ctx: Context, request: ImportNotificationsRequest): Promise<Answer> {
  if (request.dryRun) return { faults: faultsOf(ctx, request) };
  if (request.settings.length > mostSettings) {
    throw invalid([{ path: "settings", message: "Too many entries (at most {max})", params: { max: mostSettings } }]);
  }
  const made = await orUnavailable(() => deciding(ctx.db, (trx) => write({ ...ctx, db: trx }, request)));
  ctx.committed();
  return made;
}

async function write(ctx: Context, { channels, templates, settings }: ImportNotificationsRequest) {
  const made: { channelIds: number[]; templateIds: number[] } = { channelIds: [], templateIds: [] };
  for (const channel of channels) made.channelIds.push((await createChannel(ctx, channel)).id);
  for (const { name, kind, subject, content } of templates) {
    made.templateIds.push((await createTemplate(ctx, { name, kind, subject, content })).id);
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

function faultsOf(ctx: Context, { channels, templates }: ImportNotificationsRequest): Fault[] {
  const found = (look: () => void, place: Fault): Fault[] => {
    try {
      look();
      return [];
    } catch (thrown) {
      return [{ ...place, ...inWords(toAppError(thrown)) }];
    }
  };
  return [
    ...channels.flatMap((channel, at) => found(() => readNewChannel(ctx, channel), { channel: at })),
    ...templates.flatMap(({ name, kind, subject, content }, at) =>
      found(() => readNewTemplate({ name, kind, subject, content }), { template: at }),
    ),
  ];
}

function inWords({ key, params, details }: AppError): { message: string; params: string } {
  const [first] = details;
  return { message: first?.message ?? key, params: JSON.stringify(first?.params ?? params) };
}
