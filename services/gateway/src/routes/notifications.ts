import { audienceAnswer, audienceQuery, reachAnswer } from "@sonde/proto/http/notifications/audience";
import {
  channelAnswer,
  channelInput,
  channelPatch,
  channelsAnswer,
  channelTestAnswer,
} from "@sonde/proto/http/notifications/channels";
import {
  deliveriesAnswer,
  deliveriesQuery,
  unsentAnswer,
  unsentQuery,
} from "@sonde/proto/http/notifications/deliveries";
import {
  agentSettings,
  agentSettingsAnswer,
  globalAgentSettings,
  globalAgentSettingsAnswer,
  globalMonitorSettings,
  globalMonitorSettingsAnswer,
  monitorSettings,
  monitorSettingsAnswer,
  notificationSettingsAnswer,
} from "@sonde/proto/http/notifications/settings";
import { noiseAnswer } from "@sonde/proto/http/notifications/noise";
import { rehearsalAnswer, rehearsalInput } from "@sonde/proto/http/on-call/rehearsal";
import {
  templateAnswer,
  templateInput,
  templatePatch,
  templatePreviewAnswer,
  templatePreviewInput,
  templatesAnswer,
} from "@sonde/proto/http/notifications/templates";
import { AppError } from "@sonde/kit/errors";
import { readTarget } from "@sonde/proto/http/monitors/targets";
import { limitTexts } from "../middleware/limits.ts";
import { command, route } from "../route.ts";
import { timeouts } from "../services.ts";
import { isId } from "../validate.ts";
import { peopleOf } from "./on-call/schedules.ts";

const channelParams = { id: "Notification channel does not exist" } as const;
const ofMonitor = { targetId: "Monitor does not exist" } as const;
const ofAgent = { targetId: "Agent with ID {id} not found" } as const;
const whole = "Absent fields have their defaults.";
const override = `Replaces all global settings. ${whole}`;
const templateParams = { id: "Notification template does not exist" } as const;

export const notificationRoutes = [
  route("GET /api/notifications/channels", "session", {
    summary: "List notification channels with their health; secrets are masked",
    answer: channelsAnswer,
    handle: ({ services, ask }) => services.notifications.listChannels({}, ask),
  }),
  route("POST /api/notifications/channels", "write", {
    idempotent: true,
    summary: "Create a notification channel",
    description: "At most 200 channels.",
    body: channelInput,
    status: 201,
    answer: channelAnswer,
    message: "Notification channel created",
    handle: async ({ services, body, ask }) => ({ channel: await services.notifications.createChannel(body, ask) }),
  }),
  route("PUT /api/notifications/channels/:id", "write", {
    summary: "Change all or some fields of a notification channel",
    description:
      "`config` changes only the fields it contains; null clears one. A masked secret keeps the stored one unless the receiver changes; then it must be entered again.",
    params: channelParams,
    body: channelPatch,
    answer: channelAnswer,
    message: "Notification channel updated",
    handle: async ({ services, params, body, ask }) => ({
      channel: await services.notifications.updateChannel({ ...body, ...params }, ask),
    }),
  }),
  command("DELETE /api/notifications/channels/:id", "write", {
    summary: "Delete a notification channel and remove it from all settings",
    params: channelParams,
    message: "Notification channel successfully deleted",
    handle: ({ services, params: { id }, ask }) => services.notifications.deleteChannel({ id }, ask),
  }),
  route("POST /api/notifications/channels/:id/test", "write", {
    summary: "Send a sample incident through a channel once; a failed delivery is also a 200",
    description: limitTexts.channelTest,
    params: channelParams,
    within: ({ channelTests }, { userId }, request) => channelTests.within("test", userId, request),
    answer: channelTestAnswer,
    handle: async ({ services, channelTests, session, params: { id }, ctx, ask }) => {
      await channelTests.take("test", session.userId);
      const request = { id, language: ctx.state.language };
      const delivery = await services.notifications.testChannel(request, { ...ask, timeoutMs: timeouts.channelTestMs });
      const isDelivered = delivery.status === "delivered";
      const message = isDelivered ? "Test notification delivered" : "Test notification was not delivered";
      return { message, delivery };
    },
  }),
  route("GET /api/notifications/settings", "session", {
    summary: "Get notification settings for all monitors, for all agents, and overrides by id",
    answer: notificationSettingsAnswer,
    handle: ({ services, ask }) => services.notifications.getSettings({}, ask),
  }),
  route("PUT /api/notifications/settings/global-monitor", "write", {
    summary: "Set notifications for monitors without an override",
    description: whole,
    body: globalMonitorSettings,
    answer: globalMonitorSettingsAnswer,
    message: "Notification settings saved",
    handle: async ({ services, body: settings, ask }) => ({
      settings: await services.notifications.putMonitorSettings({ settings }, ask),
    }),
  }),
  route("PUT /api/notifications/settings/global-agent", "write", {
    summary: "Set notifications and thresholds for agents without an override",
    description: whole,
    body: globalAgentSettings,
    answer: globalAgentSettingsAnswer,
    message: "Notification settings saved",
    handle: async ({ services, body: settings, ask }) => ({
      settings: await services.notifications.putAgentSettings({ settings }, ask),
    }),
  }),
  route("PUT /api/notifications/settings/monitor/:targetId", "write", {
    summary: "Set notifications for one monitor",
    description: override,
    params: ofMonitor,
    body: monitorSettings,
    answer: monitorSettingsAnswer,
    message: "Notification settings saved",
    handle: async ({ services, params: { targetId }, body, ask }) => {
      await services.monitors.getMonitor({ id: targetId }, ask);
      const settings = await services.notifications.putMonitorSettings({ targetId, settings: body }, ask);
      return { settings };
    },
  }),
  command("DELETE /api/notifications/settings/monitor/:targetId", "write", {
    summary: "Remove a monitor's override, so that the global settings apply",
    params: ofMonitor,
    message: "Global settings restored",
    handle: async ({ services, params: { targetId }, ask }) => {
      await services.monitors.getMonitor({ id: targetId }, ask);
      await services.notifications.deleteSetting({ scope: "monitor", targetId }, ask);
    },
  }),
  route("PUT /api/notifications/settings/agent/:targetId", "write", {
    summary: "Set notifications and thresholds for one agent",
    description: override,
    params: ofAgent,
    body: agentSettings,
    answer: agentSettingsAnswer,
    message: "Notification settings saved",
    handle: async ({ services, params: { targetId }, body, ask }) => {
      await services.agents.getAgent({ id: targetId }, ask);
      const settings = await services.notifications.putAgentSettings({ targetId, settings: body }, ask);
      return { settings };
    },
  }),
  command("DELETE /api/notifications/settings/agent/:targetId", "write", {
    summary: "Remove an agent's override, so that the global settings and thresholds apply",
    params: ofAgent,
    message: "Global settings restored",
    handle: async ({ services, params: { targetId }, ask }) => {
      await services.agents.getAgent({ id: targetId }, ask);
      await services.notifications.deleteSetting({ scope: "agent", targetId }, ask);
    },
  }),
  route("POST /api/notifications/rehearse", "write", {
    summary: "Compare whom settings and policies would have notified in a past period with whom was notified",
    description:
      "Incidents, acknowledgements, snoozes, maintenance and silences are those of the period; people, schedules and channels are those of today. 422 if `from` is older than the retention of incidents, or if a draft names something that does not exist. One rehearsal runs at a time: 429 for others.",
    body: rehearsalInput,
    answer: rehearsalAnswer,
    refusals: ["impossible", "too_many"],
    handle: ({ services, body, ask }) => services.onCall.rehearse(body, { ...ask, timeoutMs: timeouts.rehearsalMs }),
  }),
  route("GET /api/notifications/audience", "session", {
    summary:
      "Get the channels that alerts of a monitor or agent would be sent to; `target` is `monitor:12` or `agent:3`",
    query: audienceQuery,
    refusals: ["not_found"],
    answer: audienceAnswer,
    handle: async ({ services, query, ask }) => {
      const { type, id } = readTarget(query.target);
      const isAgent = type === "agent";
      if (!isId(id)) {
        const message = isAgent ? ofAgent.targetId : ofMonitor.targetId;
        throw new AppError("not_found", message, { params: { id } });
      }
      const { tags } = isAgent
        ? await services.agents.getAgent({ id }, ask)
        : await services.monitors.getMonitor({ id }, ask);
      return services.notifications.readAudience({ type, id, tags }, ask);
    },
  }),
  route("GET /api/notifications/noise", "session", {
    summary: "Get how many alerts other settings of the noisiest monitors would have avoided in the last 30 days",
    description:
      "Decides stored results again with other retries, another recovery threshold, or one more dependency. Retries that did not run count as failed. Computed at most once a minute. `nights` lists users whose own contacts were notified at night.",
    answer: noiseAnswer,
    handle: async ({ services, ask }) => {
      const { nights, ...noise } = await services.notifications.readNoise({}, { ...ask, timeoutMs: timeouts.noiseMs });
      const people = await peopleOf(
        { services, ask },
        nights.map(({ userId }) => userId),
      );
      const names = new Map(people.map(({ id, name }) => [id, name]));
      return { ...noise, nights: nights.map((night) => ({ ...night, name: names.get(night.userId) })) };
    },
  }),
  route("GET /api/notifications/reach", "session", {
    summary:
      "Get whether the settings for all monitors and all agents reach a channel, and how many channels were tested",
    answer: reachAnswer,
    handle: ({ services, ask }) => services.notifications.readReach({}, ask),
  }),
  route("GET /api/notifications/templates", "session", {
    summary: "List message templates",
    answer: templatesAnswer,
    handle: ({ services, ask }) => services.notifications.listTemplates({}, ask),
  }),
  route("POST /api/notifications/templates", "write", {
    summary: "Create a message template",
    description: "At most 100 templates.",
    body: templateInput,
    status: 201,
    answer: templateAnswer,
    message: "Notification template created",
    handle: async ({ services, body, ask }) => ({ template: await services.notifications.createTemplate(body, ask) }),
  }),
  route("POST /api/notifications/templates/preview", "write", {
    summary: "Preview a template with sample values; without subject or content, the built-in text",
    body: templatePreviewInput,
    answer: templatePreviewAnswer,
    handle: ({ services, body, ctx, ask }) =>
      services.notifications.previewTemplate({ ...body, language: body.language ?? ctx.state.language }, ask),
  }),
  route("PUT /api/notifications/templates/:id", "write", {
    summary: "Change all or some fields of a message template",
    params: templateParams,
    body: templatePatch,
    answer: templateAnswer,
    message: "Notification template updated",
    handle: async ({ services, params, body, ask }) => ({
      template: await services.notifications.updateTemplate({ ...body, ...params }, ask),
    }),
  }),
  command("DELETE /api/notifications/templates/:id", "write", {
    summary: "Delete a message template; settings that use it return to the built-in texts",
    params: templateParams,
    message: "Notification template successfully deleted",
    handle: ({ services, params: { id }, ask }) => services.notifications.deleteTemplate({ id }, ask),
  }),
  route("GET /api/notifications/deliveries", "session", {
    summary: "List deliveries with their attempts, newest first; `target` is `monitor:12` or `agent:3`",
    query: deliveriesQuery,
    answer: deliveriesAnswer,
    handle: ({ services, query, ask }) => services.notifications.listDeliveries(query, ask),
  }),
  route("GET /api/notifications/unsent", "session", {
    summary: "List alerts that were deferred or not sent, with the reason, newest first",
    query: unsentQuery,
    answer: unsentAnswer,
    handle: ({ services, query, ctx, ask }) =>
      services.notifications.listUnsent({ ...query, language: ctx.state.language }, ask),
  }),
];
