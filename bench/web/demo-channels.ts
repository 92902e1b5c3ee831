import { type StandIn, startStandIn } from "@sonde/notifier/testing/stand-ins";
import type { Api } from "@sonde/testing/api";

const named = {
  telegram: "On call",
  resend: "Operations",
  slack: "#alerts",
  feishu: "值班群",
  webhook: "Ticket system",
} as const;

/** Channels that send to stand-ins of their providers, all used by monitors and agents; one of them is refused. */
export async function startChannels(api: Api): Promise<{ stop(): Promise<void> }> {
  const channels: number[] = [];
  const standIns: StandIn[] = [];
  for (const [type, name] of Object.entries(named)) {
    const standIn = await startStandIn(type as keyof typeof named);
    standIns.push(standIn);
    const input = { type, name, config: standIn.config };
    const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", input);
    channels.push(channel.id);
    if (type === "slack") standIn.answerNext({ status: 404, body: "channel_not_found" });
  }
  const settings = { channels, language: "en-US" };
  await api.send("PUT", "/api/notifications/settings/global-monitor", settings);
  await api.send("PUT", "/api/notifications/settings/global-agent", settings);
  return { stop: async () => void (await Promise.all(standIns.map((standIn) => standIn.stop()))) };
}
