import { openSecrets, type PlainConfig } from "@sonde/kit/sealed-config";
import { secretContexts } from "@sonde/kit/secrets";
import type { ChannelConfig, ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { AnyChannel, Budget } from "../channels/channel.ts";
import { configWithDefaults } from "../channels/config.ts";
import { secretsOf } from "../channels/redact.ts";
import type { StoredChannel } from "../channels/store.ts";
import { budgetKey } from "./budgets/budget.ts";
import type { DeliveryContext } from "./delivering.ts";

/** A channel that can be sent to: its secrets are open. */
export type ReadyChannel = {
  id: number;
  typeName: ChannelTypeName;
  type: AnyChannel;
  config: ChannelConfig<ChannelTypeName>;
  /** What no answer may hold. */
  secrets: readonly string[];
  /** By the key under which each is stored. */
  budgets: ReadonlyMap<string, Budget>;
};

/** @throws Error where a secret was sealed by another key */
export function readyChannel({ secrets: box, channelOf }: DeliveryContext, stored: StoredChannel): ReadyChannel {
  const { id, type: typeName } = stored;
  const opened: PlainConfig = openSecrets({ box, context: secretContexts.channel }, stored.config);
  const config = configWithDefaults(typeName, opened);
  const type = channelOf(typeName);
  const budgets = type.budgets(config).map((budget) => [budgetKey(typeName, budget.key), budget] as const);
  return { id, typeName, type, config, secrets: secretsOf(typeName, opened), budgets: new Map(budgets) };
}
