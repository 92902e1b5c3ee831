import type { Api } from "@sonde/testing/api";
import type { ClusterTarget } from "../cluster/target.ts";
import type { Hook } from "../target/control.ts";

/** A webhook channel that all monitors use. */
export interface AlertLog {
  received(): Promise<Hook[]>;
  remove(): Promise<void>;
}

export async function openAlertLog(api: Api, target: ClusterTarget, name: string): Promise<AlertLog> {
  const config = { url: `${target.hookUrl}/${name}` };
  const input = { type: "webhook", name, config };
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", input);
  await api.send("PUT", "/api/notifications/settings/global-monitor", { channels: [channel.id], language: "en-US" });
  return {
    received: async () => (await target.hooks()).filter(({ path }) => path === `/hook/${name}`),
    async remove() {
      await api.send("PUT", "/api/notifications/settings/global-monitor", { channels: [], language: "en-US" });
      await api.send("DELETE", `/api/notifications/channels/${channel.id}`);
    },
  };
}
