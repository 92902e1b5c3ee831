import type { Handlers } from "@sonde/kit/bus/rpc";
import { countOwned, releaseOwned } from "@sonde/domain/managed/table";
import { orUnavailable } from "@sonde/kit/postgres/database";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import type { notificationsContract } from "@sonde/proto/rpc/notifications";
import { readAcknowledgeLink } from "./acknowledge/link.ts";
import { createChannel, updateChannel, removeChannel, presentChannel, listChannels } from "./channels/channels.ts";
import { resolveRefs } from "./apply/apply.ts";
import { createChange } from "./incidents/recorded-changes.ts";
import type { Context } from "./context.ts";
import type { DeliveryContext } from "./deliveries/delivery-context.ts";
import { listDeliveries } from "./deliveries/list.ts";
import type { TestChannel } from "./deliveries/test.ts";
import { incidentStory, type StorySources } from "./incidents/story.ts";
import { listUnsent } from "./incidents/unsent.ts";
import { renewDevice } from "./on-call/contacts/devices.ts";
import { queueMail, queueMails } from "./mails/queue.ts";
import { readAudience, readReach } from "./settings/audience.ts";
import { getSettings, putSetting, removeSetting } from "./settings/settings.ts";
import {
  previewTemplate,
  createTemplate,
  listTemplates,
  removeTemplate,
  updateTemplate,
} from "./templates/templates.ts";

const nothing = () => ({});

export const endpoints = (
  ctx: Context,
  delivering: DeliveryContext,
  story: StorySources,
  test: TestChannel,
  idempotent = createIdempotency(ctx),
): Omit<Handlers<typeof notificationsContract>, "answerCall" | "applyNotifications" | "readNoise"> => ({
  listChannels: async () => ({ channels: await orUnavailable(() => listChannels(ctx.db)) }),
  createChannel: (input, call) =>
    idempotent(call, async (db, afterwards) =>
      presentChannel(await createChannel({ ...ctx, db, committed: afterwards(ctx.committed) }, input)),
    ),
  updateChannel: async (input) => presentChannel(await updateChannel(ctx, input)),
  deleteChannel: (input) => removeChannel(ctx, input).then(nothing),
  testChannel: ({ id, language }) => test({ id, language }),
  getSettings: () => getSettings(ctx),
  putMonitorSettings: ({ targetId, settings }) =>
    putSetting(ctx, {
      scope: targetId === undefined ? "global-monitor" : "monitor",
      targetId: targetId ?? 0,
      value: settings,
    }),
  putAgentSettings: ({ targetId, settings }) =>
    putSetting(ctx, {
      scope: targetId === undefined ? "global-agent" : "agent",
      targetId: targetId ?? 0,
      value: settings,
    }),
  deleteSetting: (input) => orUnavailable(() => removeSetting(ctx, input)).then(nothing),
  readAudience: (input) => orUnavailable(() => readAudience(ctx, input)),
  readReach: () => orUnavailable(() => readReach(ctx)),
  listTemplates: async () => ({ templates: await orUnavailable(() => listTemplates(ctx)) }),
  createTemplate: (input) => orUnavailable(() => createTemplate(ctx, input)),
  updateTemplate: ({ id, ...patch }) => orUnavailable(() => updateTemplate(ctx, id, patch)),
  deleteTemplate: ({ id }) => orUnavailable(() => removeTemplate(ctx, id)).then(nothing),
  previewTemplate: async (input) => previewTemplate(ctx, input),
  listDeliveries: (input) => orUnavailable(() => listDeliveries(ctx, input)),
  listUnsent: (input) => orUnavailable(() => listUnsent(ctx, input)),
  incidentStory: (input, call) => incidentStory(story, input, call),
  createChange: (input, call) =>
    idempotent(call, (db, afterwards) => createChange({ ...ctx, db, committed: afterwards(ctx.committed) }, input)),
  renewDevice: (input) => orUnavailable(() => renewDevice(ctx, input)).then(nothing),
  readAcknowledgeLink: (input) => orUnavailable(() => readAcknowledgeLink(ctx, input)),
  sendMail: async (input) => {
    await orUnavailable(() => queueMail({ ...delivering, due: ctx.due }, input));
    return { outcome: "delivered", answer: "" };
  },
  queueMails: (input) => orUnavailable(() => queueMails(ctx, input)).then(nothing),
  idsOfRefs: (input) => orUnavailable(() => resolveRefs(ctx, input)),
  countOwned: () => orUnavailable(() => countOwned(ctx.db)),
  release: async (input) => ({ released: await orUnavailable(() => releaseOwned(ctx.db, "notifier", input)) }),
});
