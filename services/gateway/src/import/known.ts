import type { Client } from "@sonde/kit/bus/rpc";
import { isMessage } from "@sonde/proto/http/messages";
import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import type { NotificationTemplate } from "@sonde/proto/http/notifications/templates";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { ImportFault, notificationsContract } from "@sonde/proto/rpc/notifications";
import type { z } from "zod";
import type { HandlerBase } from "../route.ts";
import type { PreparedChannel, PreparedImport } from "./shapes.ts";

export type ImportVerdict = z.output<(typeof monitorsContract)["methods"]["checkImport"]["answer"]>["verdicts"][number];

/** The existing configuration, and the services' validation of a file. */
export type ImportContext = {
  /** One a monitor. */
  verdicts: ImportVerdict[];
  channels: NotificationChannel[];
  templates: NotificationTemplate[];
  settings: Awaited<ReturnType<Client<typeof notificationsContract>["getSettings"]>>;
  /** Of channels by their keys, of templates by their places. */
  channelFaults: Map<number, TranslatableText>;
  templateFaults: Map<number, TranslatableText>;
};

/** Asks monitors and the notifier; nothing is kept. */
export async function askServices(
  { services, ask }: Pick<HandlerBase, "services" | "ask">,
  prepared: PreparedImport,
): Promise<ImportContext> {
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
  for (const monitors of prepared.parts) {
    const answer = await services.monitors.checkImport({ monitors }, { ...ask, timeoutMs: checkMs });
    verdicts.push(...answer.verdicts);
  }
  const channelFaults = new Map(
    faults.flatMap((fault) => (fault.channel === undefined ? [] : [[made[fault.channel]?.key ?? 0, readFault(fault)]])),
  );
  const templateFaults = new Map(
    faults.flatMap((fault) => (fault.template === undefined ? [] : [[fault.template, readFault(fault)]])),
  );
  return { verdicts, channels, templates, settings, channelFaults, templateFaults };
}

/** A part has 200 monitors, and a busy machine its time. */
const checkMs = 15_000;

export const toRequest = ({ name, type, enabled, config }: PreparedChannel) => ({
  name,
  type,
  enabled,
  config: config ?? {},
});

/** A fault that a service found, as a text to translate. */
function readFault({ message, params }: ImportFault): TranslatableText {
  return isMessage(message) ? { text: message, params } : { text: "This value is not valid" };
}
