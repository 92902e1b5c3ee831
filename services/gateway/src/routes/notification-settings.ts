import { messageAnswer } from "@sonde/proto/http/auth";
import {
  agentSettings,
  agentSettingsAnswer,
  monitorSettings,
  monitorSettingsAnswer,
  notificationSettingsAnswer,
} from "@sonde/proto/http/notifications/settings";
import { route } from "../route.ts";

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
    handle: ({ services, ask }) => services.notifications.getSettings({}, ask),
  }),
  route({
    method: "PUT",
    path: "/api/notifications/settings/global-monitor",
    who: "write",
    summary: "Set who is told of monitors that have no override",
    description: whole,
    body: monitorSettings,
    answer: monitorSettingsAnswer,
    handle: async ({ services, body: settings, ask }) => ({
      message: "Notification settings saved",
      settings: await services.notifications.putMonitorSettings({ settings }, ask),
    }),
  }),
  route({
    method: "PUT",
    path: "/api/notifications/settings/global-agent",
    who: "write",
    summary: "Set who is told of agents that have no override, and their thresholds",
    description: whole,
    body: agentSettings,
    answer: agentSettingsAnswer,
    handle: async ({ services, body: settings, ask }) => ({
      message: "Notification settings saved",
      settings: await services.notifications.putAgentSettings({ settings }, ask),
    }),
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
    handle: async ({ services, params: { targetId }, body, ask }) => {
      await services.monitors.getMonitor({ id: targetId }, ask);
      const settings = await services.notifications.putMonitorSettings({ targetId, settings: body }, ask);
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
    handle: async ({ services, params: { targetId }, body, ask }) => {
      await services.agents.getAgent({ id: targetId }, ask);
      const settings = await services.notifications.putAgentSettings({ targetId, settings: body }, ask);
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
