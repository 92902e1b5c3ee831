import type { Database } from "@sonde/kit/postgres/database";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { audienceAnswer, reachAnswer } from "@sonde/proto/http/notifications/audience";
import { channelsFor, matchingRule, policyFor } from "@sonde/proto/http/notifications/rules";
import type { NotificationSettings } from "@sonde/proto/http/notifications/settings";
import type { z } from "zod";
import { allChannels } from "../channels/channels.ts";
import type { Context } from "../context.ts";
import { defaultSettings, readSettings } from "./store.ts";

type Deps = Pick<Context, "db" | "log">;

/** Returns the channels that alerts of a target would go to now. */
export async function readAudience(
  { db, log }: Deps,
  { type, id, tags }: TargetRef & { tags: readonly string[] },
): Promise<Pick<z.input<typeof audienceAnswer>, "audience">> {
  const scope = `global-${type}` as const;
  const keys = [
    { scope: type, targetId: id },
    { scope, targetId: 0 },
  ];
  const [stored, all] = await Promise.all([readSettings(db, log, keys), allChannels(db)]);
  const own = stored.find((one) => one.scope === type)?.value;
  const settings = own ?? stored.find((one) => one.scope === scope)?.value ?? defaultSettings(scope);
  const index = matchingRule(settings.rules, tags);
  const rule = settings.rules?.[index];
  const ids = channelsFor(settings, tags);
  const channels = all
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name, type, enabled }) => ({ id, name, type, enabled }));
  return {
    audience: {
      from: own !== undefined ? "override" : rule !== undefined ? "rule" : "global",
      rule: rule && { index, tags: rule.tags },
      enabled: settings.enabled,
      channels,
      nobody:
        !settings.enabled || (policyFor(settings, tags) === undefined && !channels.some(({ enabled }) => enabled)),
    },
  };
}

/** Returns whether the settings for all monitors and for all agents reach an enabled channel, or have a policy. */
export async function readReach({ db, log }: Deps): Promise<Pick<z.input<typeof reachAnswer>, "reach">> {
  const scopes = ["global-monitor", "global-agent"] as const;
  const keys = scopes.map((scope) => ({ scope, targetId: 0 }));
  const [stored, all, tested] = await Promise.all([readSettings(db, log, keys), allChannels(db), countTested(db)]);
  const enabled = new Set(all.flatMap((channel) => (channel.enabled ? [channel.id] : [])));
  const reaches = (settings: NotificationSettings | undefined) =>
    settings?.enabled === true &&
    [settings, ...(settings.rules ?? [])].some(
      ({ channels, policyId }) => policyId != null || channels.some((id) => enabled.has(id)),
    );
  const [monitors, agents] = scopes.map((scope) => reaches(stored.find((one) => one.scope === scope)?.value));
  return { reach: { monitors: monitors === true, agents: agents === true, channels: all.length, tested } };
}

async function countTested(db: Database): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select count(*) from channels
     where user_id is null and (last_settled_status = 'delivered'
       or exists (select from deliveries where channel_id = channels.id and status = 'delivered'))`,
  );
  return rows[0]?.count ?? 0;
}
