import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { silentLog } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import { ThresholdsSchema } from "@sonde/proto/gen/agents/v1/agents";
import type { SettingScope } from "@sonde/proto/http/notifications/settings";
import { buckets } from "@sonde/proto/streams";
import { readSetting } from "./setting.ts";
import type { SettingRow } from "./store.ts";

const globalKey = "global";
const agentScopes = ["global-agent", "agent"] as const;
const keyOf = ({ scope, targetId: id }: Pick<SettingRow, "scope" | "targetId">) =>
  scope === "global-agent" ? globalKey : String(id);

/**
 * KV `thresholds`: the limits for agent-ingest. Without a key the defaults apply; a deleted override is a tombstone.
 */
export function thresholdProjections(db: Database): Record<"thresholds", Projection> {
  const rowsOf = () => db<SettingRow>("settings").whereIn("scope", [...agentScopes]);
  return {
    [buckets.thresholds]: {
      read: async (keys) => {
        const ids = keys.map((key) => (key === globalKey ? 0 : Number(key)));
        const rows = await rowsOf().whereRaw("target_id = any(?)", [ids]);
        return new Map(rows.map((row) => [keyOf(row), { revision: row.revision, value: encode(row) }]));
      },
      revisionOf: (value) => fromBinary(ThresholdsSchema, value).revision,
      keys: async () => (await rowsOf()).map((row) => ({ key: keyOf(row), revision: row.revision })),
    },
  };
}

/** Publishes, within the transaction, changed settings: agent-ingest receives those with thresholds. */
export async function enqueueThresholds(
  trx: Database,
  scope: SettingScope,
  targetIds: readonly number[],
): Promise<void> {
  if (scope !== "agent" && scope !== "global-agent") return;
  await enqueueKeys(
    trx,
    targetIds.map((id) => ({ bucket: buckets.thresholds, key: keyOf({ scope, targetId: id }) })),
  );
}

function encode({ scope, value, revision, deletedAtMs }: SettingRow): Uint8Array {
  const settings = readSetting(scope, deletedAtMs === null ? value : {}, silentLog);
  const { cpu, memory, disk } = "thresholds" in settings ? settings.thresholds : noThresholds;
  const thresholds = {
    revision,
    deleted: deletedAtMs !== null,
    cpu: cpu ?? undefined,
    memory: memory ?? undefined,
    disk: disk ?? undefined,
  };
  return toBinary(ThresholdsSchema, create(ThresholdsSchema, thresholds));
}

const noThresholds = { cpu: null, memory: null, disk: null };
