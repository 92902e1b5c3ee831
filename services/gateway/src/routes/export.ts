import { exportAnswer, type ExportDocument, exportVersion } from "@sonde/proto/http/export";
import { kindOf } from "@sonde/proto/http/monitors/kinds";
import { type KnownMonitor, splitInput } from "@sonde/proto/http/monitors/monitors";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { Batches } from "../batches.ts";
import { instantOf } from "../presenters/instant.ts";
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

type Page = { restIds: number[]; total: number };
type List<P extends Page> = (query: { page?: number; pageSize: number; ids?: number[] }) => Promise<P>;

const pageSize = 200;

/**
 * Every entry of a list, as many at a time as one message of the bus can contain. The first page is read before
 * anything is sent, so that an unavailable service is reported by the status.
 * @param list reads a page, or entries by their ids
 */
async function allOf<P extends Page, Item>(list: List<P>, present: (page: P) => Item[]): Promise<Batches<Item>> {
  const first = await list({ page: 1, pageSize });
  return new Batches(pagesOf(first, list, present));
}

async function* pagesOf<P extends Page, Item>(
  first: P,
  list: List<P>,
  present: (page: P) => Item[],
): AsyncGenerator<Item[]> {
  let page = first;
  for (let number = 1; ; number += 1) {
    yield present(page);
    let { restIds } = page;
    while (restIds.length > 0) {
      const more = await list({ ids: restIds, pageSize: restIds.length });
      if (more.restIds.length >= restIds.length) throw new Error("an answer brought nothing of what was asked for");
      yield present(more);
      ({ restIds } = more);
    }
    if (number * pageSize >= page.total) return;
    page = await list({ page: number + 1, pageSize });
  }
}
