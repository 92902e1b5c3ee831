import { exportAnswer, exportVersion } from "@sonde/proto/http/export";
import { allOf } from "../export/pages.ts";
import { exportAgent, exportMonitor } from "../export/present.ts";
import { presentAnnouncement } from "../presenters/announcement.ts";
import { instantOf } from "../presenters/instant.ts";
import { presentMaintenance } from "../presenters/maintenance.ts";
import { presentStatusConfig } from "../presenters/status-config.ts";
import { route } from "../route.ts";

export const exportRoutes = [
  route({
    method: "GET",
    path: "/api/export",
    who: "write",
    summary: "Everything that people set, but for secrets, users, keys and tokens",
    description:
      "What `POST /api/import` of another Sonde takes. Secrets are the mask that they answer as elsewhere; history is no part of it.",
    answer: exportAnswer,
    handle: async ({ services, takeBatches, session, ctx, ask, clock }) => {
      const { monitors, agents, notifications, statusPage } = services;
      const [{ channels }, { templates }, settings, { config }] = await Promise.all([
        notifications.listChannels({}, ask),
        notifications.listTemplates({}, ask),
        notifications.getSettings({}, ask),
        statusPage.getConfig({}, ask),
      ]);
      const [allMonitors, allAgents, allMaintenance, allAnnouncements] = await Promise.all([
        allOf(
          (query) => monitors.listMonitors({ ...query, sort: "ids" in query ? "" : "createdAt" }, ask),
          (page) => page.monitors.map(exportMonitor),
        ),
        allOf(
          (query) => agents.listAgents({ ...query, sort: "ids" in query ? undefined : "createdAt" }, ask),
          (page) => page.agents.map(exportAgent),
        ),
        allOf(
          (query) => statusPage.listMaintenance(query, ask),
          (page) => page.windows.map(presentMaintenance),
        ),
        allOf(
          (query) => statusPage.listAnnouncements(query, ask),
          (page) => page.announcements.map(presentAnnouncement),
        ),
      ]);
      takeBatches(session.userId, ctx.res);
      const { nextReminder: _next, ...shown } = settings;
      return {
        version: exportVersion,
        exportedAt: instantOf(clock.now()),
        channels: channels.map(({ id, name, type, enabled, config: of }) => ({
          id,
          name,
          type,
          enabled,
          config: of,
        })),
        templates: templates.map(({ id, name, kind, subject, content }) => ({
          id,
          name,
          kind,
          subject,
          content,
        })),
        settings: shown,
        agents: allAgents,
        statusPage: presentStatusConfig(config),
        maintenance: allMaintenance,
        announcements: allAnnouncements,
        monitors: allMonitors,
      };
    },
  }),
];
