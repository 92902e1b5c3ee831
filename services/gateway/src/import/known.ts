import type { ImportVerdict } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Channel, ImportFault, Template } from "@sonde/proto/gen/notifications/v1/notifications";
import { isMessage } from "@sonde/proto/http/messages";
import type { Told } from "@sonde/proto/http/import-reasons";
import { presentSettings } from "../presenters/notification-settings.ts";
import type { Base } from "../route.ts";
import type { Prepared, PreparedChannel } from "./prepared.ts";

/** What is there already, and what the services say of a file. */
export type Known = {
  /** One a monitor. */
  verdicts: ImportVerdict[];
  channels: Channel[];
  templates: Template[];
  settings: ReturnType<typeof presentSettings>;
  /** Of channels by their keys, of templates by their places. */
  channelFaults: Map<number, Told>;
  templateFaults: Map<number, Told>;
};

/** Asks monitors and the notifier; nothing is kept. */
export async function askServices(
  { services, ask }: Pick<Base, "services" | "ask">,
  prepared: Prepared,
): Promise<Known> {
  const [{ channels }, { templates }, settings] = await Promise.all([
    services.notifications.listChannels({}, ask),
    services.notifications.listTemplates({}, ask),
    services.notifications.getSettings({}, ask),
  ]);
  const made = prepared.channels.filter((channel) => channel.config !== null);
  const { faults } = await services.notifications.importNotifications(
    {
      channels: made.map(toRequest),
      templates: prepared.templates.map(({ key: _key, ...words }) => words),
      dryRun: true,
    },
    ask,
  );
  const verdicts: ImportVerdict[] = [];
  for (const lines of prepared.parts) {
    const answer = await services.monitors.checkImport({ lines }, { ...ask, timeoutMs: checkMs });
    verdicts.push(...answer.verdicts);
  }
  const channelFaults = new Map(
    faults.flatMap((fault) => (fault.channel === undefined ? [] : [[made[fault.channel]?.key ?? 0, readFault(fault)]])),
  );
  const templateFaults = new Map(
    faults.flatMap((fault) => (fault.template === undefined ? [] : [[fault.template, readFault(fault)]])),
  );
  return { verdicts, channels, templates, settings: presentSettings(settings), channelFaults, templateFaults };
}

/** A part has 200 monitors, and a busy machine its time. */
const checkMs = 15_000;

export const toRequest = ({ name, type, enabled, config }: PreparedChannel) => ({
  name,
  type,
  enabled,
  config: config ?? "{}",
});

/** What a service said is wrong. */
export function readFault({ message, params }: Pick<ImportFault, "message" | "params">): Told {
  if (!isMessage(message)) return { text: "This value is not valid" };
  return { text: message, params: JSON.parse(params || "{}") as Record<string, string | number> };
}
