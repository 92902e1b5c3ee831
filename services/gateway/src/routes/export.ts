import { exportAnswer, type ExportDocument, exportVersion } from "@sonde/proto/http/export";
import { kindOf } from "@sonde/proto/http/monitors/kinds";
import { type KnownMonitor, splitInput } from "@sonde/proto/http/monitors/monitors";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { Batches, partsOf } from "../middleware/batches.ts";
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
      const { monitors, agents, notifications, statusPage, audit } = services;
      await audit.recordExport({ target: "installation" }, ask);
      const [{ channels }, { templates }, settings, { config }] = await Promise.all([
        notifications.listChannels({}, ask),
        notifications.listTemplates({}, ask),
        notifications.getSettings({}, ask),
        statusPage.getConfig({}, ask),
      ]);
      const [allMonitors, allAgents, allMaintenance, allAnnouncements] = await Promise.all([
        allOf(
          (query) => monitors.listMonitors({ ...query, sort: "ids" in query ? undefined : "createdAt" }, ask),
          (page) => page.monitors.map(exportMonitor),
        ),
        allOf(
          (query) => agents.listAgents({ ...query, sort: "ids" in query ? undefined : "createdAt" }, ask),
          (page) => page.agents.map(exportAgent),
        ),
        allOf(
          (query) => statusPage.listMaintenance(query, ask),
          (page) => page.maintenance,
        ),
        allOf(
          (query) => statusPage.listAnnouncements(query, ask),
          (page) => page.announcements,
        ),
      ]);
      takeBatches(session.userId, ctx.res);
      const { nextReminder: _next, ...shown } = settings;
      return {
        version: exportVersion,
        exportedAt: new Date(clock.now()).toISOString(),
        channels: channels.map(({ id, name, type, enabled, config: of }) => ({ id, name, type, enabled, config: of })),
        templates: templates.map(({ id, name, kind, subject, content }) => ({ id, name, kind, subject, content })),
        settings: shown,
        agents: allAgents,
        statusPage: config,
        maintenance: allMaintenance,
        announcements: allAnnouncements,
        monitors: allMonitors,
      };
    },
  }),
];

/** What a person set of a monitor: its secrets come masked. */
function exportMonitor(monitor: KnownMonitor): ExportDocument["monitors"][number] {
  const { shared, check } = splitInput(monitor);
  const own = kindOf(monitor.type).fields;
  const fields = Object.fromEntries(Object.entries(check).filter(([name]) => name in own));
  return { id: monitor.id, type: monitor.type, ...shared, ...fields } as ExportDocument["monitors"][number];
}

const exportAgent = ({ id, name, hostname, dependsOn }: KnownAgent): ExportDocument["agents"][number] => ({
  id,
  name,
  hostname,
  dependsOn,
});

type Query = { page?: number; pageSize: number; ids?: number[] };
type Page = { restIds: number[]; total: number };

const pageSize = 200;

/**
 * Every entry of a list, as many at a time as one message of the bus can contain. The first page is read before
 * anything is sent, so that an unavailable service is reported by the status.
 * @param list reads a page, or entries by their ids
 */
async function allOf<P extends Page, Item>(
  list: (query: Query) => Promise<P>,
  present: (page: P) => Item[],
): Promise<Batches<Item>> {
  const first = await list({ page: 1, pageSize });
  async function* batches() {
    yield* partsOf(first, list, present);
    for (let page = 2; (page - 1) * pageSize < first.total; page += 1) {
      yield* partsOf(await list({ page, pageSize }), list, present);
    }
  }
  return new Batches(batches());
}
