import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { silentLog } from "@sonde/kit/service/log";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import { ThresholdsSchema } from "@sonde/proto/gen/agents/v1/agents";
import { buckets } from "@sonde/proto/streams";
import { readSetting, type SettingKey, type SettingRow, targetTypeOf } from "./store.ts";

const globalKey = "global";
const keyOf = ({ scope, targetId }: SettingKey) => (scope === "global-agent" ? globalKey : String(targetId));

/** Bucket `thresholds`, for agent-ingest. Without a key the defaults apply; a deleted override is a tombstone. */
export function thresholdProjections(db: Database): Record<"thresholds", Projection> {
  const rowsOf = () => db<SettingRow>("settings").whereIn("scope", ["global-agent", "agent"]);
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

export async function enqueueThresholds(trx: Database, setting: SettingKey): Promise<void> {
  if (targetTypeOf(setting.scope) === "agent") {
    await enqueueKeys(trx, [{ bucket: buckets.thresholds, key: keyOf(setting) }]);
  }
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
