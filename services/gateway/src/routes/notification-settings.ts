import { messageAnswer } from "@sonde/proto/http/auth";
import {
  agentSettings,
  agentSettingsAnswer,
  monitorSettings,
  monitorSettingsAnswer,
  type NotificationSettings,
  notificationSettingsAnswer,
  type SettingScope,
} from "@sonde/proto/http/notification-settings";
import { presentAgentSettings, presentMonitorSettings, presentSettings } from "../presenters/notification-settings.ts";
import { type Base, route } from "../route.ts";

const ofMonitor = { targetId: "Monitor does not exist" } as const;
const ofAgent = { targetId: "Agent with ID {id} not found" } as const;
const whole = "What is left out has its default.";
const override = `Replaces the global settings whole. ${whole}`;

export const notificationSettingRoutes = [
  route({
    method: "GET",
    path: "/api/notifications/settings",
    who: "session",
    summary: "Who is told of what: for all monitors, for all agents, and the overrides of single ones by their ids",
    answer: notificationSettingsAnswer,
    handle: async ({ services, ask }) => presentSettings(await services.notifications.getSettings({}, ask)),
  }),
  route({
    method: "PUT",
    path: "/api/notifications/settings/global-monitor",
    who: "write",
    summary: "Set who is told of monitors that have no override",
    description: whole,
    body: monitorSettings,
    answer: monitorSettingsAnswer,
    handle: async ({ body, ...input }) => {
      const settings = presentMonitorSettings(await save(input, "global-monitor", 0, body));
      return { message: "Notification settings saved", settings };
    },
  }),
  route({
    method: "PUT",
    path: "/api/notifications/settings/global-agent",
    who: "write",
    summary: "Set who is told of agents that have no override, and their thresholds",
    description: whole,
    body: agentSettings,
    answer: agentSettingsAnswer,
    handle: async ({ body, ...input }) => {
      const settings = presentAgentSettings(await save(input, "global-agent", 0, body));
      return { message: "Notification settings saved", settings };
    },
  }),
  route({
    method: "PUT",
    path: "/api/notifications/settings/monitor/:targetId",
    who: "write",
    summary: "Set who is told of one monitor",
    description: override,
    params: ofMonitor,
    body: monitorSettings,
    answer: monitorSettingsAnswer,
    handle: async ({ params: { targetId }, body, ...input }) => {
      await input.services.monitors.getMonitor({ id: targetId }, input.ask);
      const settings = presentMonitorSettings(await save(input, "monitor", targetId, body));
      return { message: "Notification settings saved", settings };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/notifications/settings/monitor/:targetId",
    who: "write",
    summary: "Remove a monitor's override: the global settings apply to it again",
    params: ofMonitor,
    answer: messageAnswer,
    handle: async ({ services, params: { targetId }, ask }) => {
      await services.monitors.getMonitor({ id: targetId }, ask);
      await services.notifications.deleteSetting({ scope: "monitor", targetId }, ask);
      return { message: "The global settings apply again" };
    },
  }),
  route({
    method: "PUT",
    path: "/api/notifications/settings/agent/:targetId",
    who: "write",
    summary: "Set who is told of one agent, and its thresholds",
    description: override,
    params: ofAgent,
    body: agentSettings,
    answer: agentSettingsAnswer,
    handle: async ({ params: { targetId }, body, ...input }) => {
      await input.services.agents.getAgent({ id: targetId }, input.ask);
      const settings = presentAgentSettings(await save(input, "agent", targetId, body));
      return { message: "Notification settings saved", settings };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/notifications/settings/agent/:targetId",
    who: "write",
    summary: "Remove an agent's override: the global settings and thresholds apply to it again",
    params: ofAgent,
    answer: messageAnswer,
    handle: async ({ services, params: { targetId }, ask }) => {
      await services.agents.getAgent({ id: targetId }, ask);
      await services.notifications.deleteSetting({ scope: "agent", targetId }, ask);
      return { message: "The global settings apply again" };
    },
  }),
];

/** Saves settings; answers them as they are kept. @throws AppError `impossible` where they name what is not there */
async function save(
  { services, ask }: Pick<Base, "services" | "ask">,
  scope: SettingScope,
  targetId: number,
  settings: NotificationSettings,
): Promise<string> {
  const setting = { scope, targetId, value: JSON.stringify(settings) };
  return (await services.notifications.putSetting({ setting }, ask)).value;
}
