import type { MessageInitShape } from "@bufbuild/protobuf";
import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { PutSettingRequest, SettingSchema } from "@sonde/proto/gen/notifications/v1/notifications";
import { faultsOf } from "@sonde/proto/http/issues";
import type { NotificationSettings, SettingScope } from "@sonde/proto/http/notification-settings";
import { deciding } from "../alerts/deciding.ts";
import type { Context } from "../context.ts";
import { presentSetting } from "./get.ts";
import { enqueueThresholds } from "./projection.ts";
import { replan } from "./replan.ts";
import { isGlobal, readScope, schemaOf } from "./setting.ts";
import { saveSetting } from "./store.ts";

type Deps = Pick<Context, "db" | "clock" | "log" | "committed">;

/** All of them travel in one message of the bus. */
export const mostOverrides = 1_000;

/**
 * Sets what holds for all monitors, all agents or one target. Reminders and what quiet hours hold follow it at once;
 * thresholds are handed to agent-ingest.
 * @throws AppError invalid; impossible where a channel or the template does not exist, or there are too many overrides
 */
export async function putSetting(
  { db, clock, log, committed }: Deps,
  { setting }: PutSettingRequest,
): Promise<MessageInitShape<typeof SettingSchema>> {
  const scope = readScope(setting?.scope ?? "");
  const targetId = isGlobal(scope) ? 0 : (setting?.targetId ?? 0);
  const value = readValue(scope, setting?.value ?? "");
  await orUnavailable(() =>
    deciding(db, async (trx) => {
      await requireExisting(trx, value);
      if (!isGlobal(scope)) await requireRoom(trx, scope, targetId);
      await saveSetting(trx, scope, targetId, value);
      await enqueueThresholds(trx, scope, [targetId]);
      await replan(trx, log, scope, targetId, clock.now());
    }),
  );
  committed();
  return presentSetting(scope, targetId, value);
}

function readValue(scope: SettingScope, text: string): NotificationSettings {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw invalid([{ path: "", message: "The body must be a JSON object" }]);
  }
  const { data, error } = schemaOf(scope).safeParse(given);
  if (data === undefined) throw invalid(faultsOf(error.issues));
  return data;
}

async function requireExisting(trx: Database, { channels, templateId }: NotificationSettings): Promise<void> {
  // Locked, so that none is deleted between this look and the commit.
  const known = new Set(
    await trx("channels").whereRaw("id = any(?)", [channels]).orderBy("id").forShare().pluck<number[]>("id"),
  );
  const details: FieldFault[] = channels.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `channels.${index}`, message: "Notification channel does not exist" }],
  );
  if (typeof templateId === "number") {
    const template = await trx("templates").where({ id: templateId }).forShare().first("id");
    if (template === undefined) {
      details.push({ path: "templateId", message: "Notification template does not exist" });
    }
  }
  if (details.length > 0) throw new AppError("impossible", "The request is not valid", { details });
}

async function requireRoom(trx: Database, scope: SettingScope, targetId: number): Promise<void> {
  const others = await trx("settings")
    .whereIn("scope", ["monitor", "agent"])
    .whereNull("deleted_at_ms")
    .whereRaw("(scope, target_id) <> (?, ?)", [scope, targetId])
    .count<{ count: number }[]>("* as count")
    .first();
  if ((others?.count ?? 0) < mostOverrides) return;
  const params = { max: mostOverrides };
  throw new AppError("impossible", "There are {max} settings of single targets already, delete one first", { params });
}
