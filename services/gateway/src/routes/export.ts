import { documentAnswer, exportAnswer, type ExportDocument, exportVersion } from "@sonde/proto/http/export";
import { kindOf } from "@sonde/proto/http/monitors/kinds";
import { type KnownMonitor, sharedBy, splitInput } from "@sonde/proto/http/monitors/monitors";
import type { ReportDefinition } from "@sonde/proto/http/reports";
import type { Slo } from "@sonde/proto/http/slos";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { exportDocument, sloRest } from "../apply/export.ts";
import { allOf, readWhole } from "../middleware/batches.ts";
import { peopleOf, usersIn } from "./on-call/schedules.ts";
import { type HandlerBase, route } from "../route.ts";
import { readSlos } from "../slos.ts";

export const exportRoutes = [
  route("GET /api/export", "write", {
    summary: "Export all configuration except secrets, users, keys and tokens",
    description: "Input for `POST /api/import` of another installation. Secrets are masked; history is not included.",
    answer: exportAnswer,
    handle: async (input) => {
      const { services, takeBatches, session, ctx, ask, clock } = input;
      const { monitors, agents, statusPage } = services;
      const { channels, templates, settings, page, reports, ...onCall } = await readConfigured(input);
      const [slos, allMonitors, allAgents, allMaintenance, allAnnouncements] = await Promise.all([
        readSlos(services, ask),
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
          // The managing source does not exist in the other installation.
          (page) => page.maintenance.map(({ managed: _managed, ...window }) => window),
        ),
        allOf(
          (query) => statusPage.listAnnouncements(query, ask),
          (page) => page.announcements,
        ),
      ]);
      takeBatches(session.userId, ctx.res);
      const { nextReminder: _next, managed: _managed, ...shown } = settings;
      return {
        version: exportVersion,
        exportedAt: new Date(clock.now()).toISOString(),
        channels: channels.map(({ id, name, type, enabled, config: of }) => ({ id, name, type, enabled, config: of })),
        templates: templates.map(({ id, name, kind, subject, content }) => ({ id, name, kind, subject, content })),
        ...exportOnCall(onCall),
        slos: slos.map(exportSlo),
        reports: reports.map(exportReport),
        settings: shown,
        agents: allAgents,
        statusPage: page,
        maintenance: allMaintenance,
        announcements: allAnnouncements,
        monitors: allMonitors,
      };
    },
  }),
  route("GET /api/export/document", "write", {
    summary: "Export the configuration as a document for `POST /api/apply`",
    description:
      "Contains only values that differ from the defaults. Objects managed by a source keep their key; others have `adopt`, so that applying takes over existing ones. Secrets refer to environment variables, which whoever applies the file must set.",
    answer: documentAnswer,
    handle: async (input) => {
      const { services, ask } = input;
      const [configured, slos, monitors, agents, maintenance] = await Promise.all([
        readConfigured(input),
        readSlos(services, ask),
        listed(
          (query) => services.monitors.listMonitors(query, ask),
          (found) => found.monitors,
        ),
        listed(
          (query) => services.agents.listAgents(query, ask),
          (found) => found.agents,
        ),
        listed(
          (query) => services.statusPage.listMaintenance(query, ask),
          (found) => found.maintenance,
        ),
      ]);
      return { config: exportDocument({ ...configured, slos, monitors, agents, maintenance }) as never };
    },
  }),
];

async function readConfigured({ services, ask }: Pick<HandlerBase, "services" | "ask">) {
  const { notifications, onCall, statusPage, audit, reports: reporting } = services;
  await audit.recordExport({ target: "installation" }, ask);
  const [
    { channels },
    { templates },
    settings,
    { config: page },
    { schedules },
    { policies },
    { drills },
    { reports },
  ] = await Promise.all([
    notifications.listChannels({}, ask),
    notifications.listTemplates({}, ask),
    notifications.getSettings({}, ask),
    statusPage.getConfig({}, ask),
    onCall.listSchedules({ page: 1, pageSize: 200, sort: "createdAt" }, ask),
    onCall.listPolicies({ page: 1, pageSize: 200 }, ask),
    onCall.listDrills({ page: 1, pageSize: 200, sort: "nextAt" }, ask),
    reporting.listReports({ page: 1, pageSize: 200 }, ask),
  ]);
  const notified = policies.flatMap(({ steps }) => steps.flatMap(({ notify }) => notify));
  notified.push(...drills.map(({ target }) => target));
  const users = notified.flatMap((recipient) => (recipient.startsWith("user:") ? [Number(recipient.slice(5))] : []));
  const people = await peopleOf({ services, ask }, [...schedules.flatMap(usersIn), ...users]);
  return { channels, templates, settings, page, schedules, policies, drills, reports, people };
}

type OnCall = Pick<Awaited<ReturnType<typeof readConfigured>>, "schedules" | "policies" | "drills" | "people">;

/** Names users, whose ids differ in another installation. Deleted ones are left out. */
function exportOnCall({ schedules, policies, drills, people }: OnCall) {
  const names = new Map(people.map(({ id, name }) => [id, name]));
  const nameOf = (id: number) => names.get(id) ?? [];
  const named = (recipient: string) =>
    recipient.startsWith("user:")
      ? [Number(recipient.slice(5))].flatMap(nameOf).map((name) => `user:${name}`)
      : recipient;
  return {
    schedules: schedules.map(({ id, name, timeZone, layers }) => ({
      id,
      name,
      timeZone,
      layers: layers.map((layer) => ({ ...layer, members: layer.members.flatMap(nameOf) })),
    })),
    policies: policies.map(({ managed: _managed, steps, ...policy }) => ({
      ...policy,
      steps: steps.map((step) => ({ ...step, notify: step.notify.flatMap(named) })),
    })),
    drills: drills.flatMap(({ target: given, schedule, nextAt }) =>
      nextAt === undefined ? [] : [given].flatMap(named).map((target) => ({ target, schedule })),
    ),
  };
}

const listed = async <P extends { restIds: number[]; total: number }, Item extends { id: number }>(
  ...[list, present]: Parameters<typeof allOf<P, Item>>
) => (await readWhole(list, present)).toSorted((one, other) => one.id - other.id);

function exportMonitor(monitor: KnownMonitor): ExportDocument["monitors"][number] {
  const { shared, check } = splitInput(monitor);
  const own = kindOf(monitor.type).fields;
  const fields = Object.fromEntries(Object.entries(check).filter(([name]) => name in own));
  return {
    id: monitor.id,
    type: monitor.type,
    ...sharedBy(monitor.type, shared as never),
    ...fields,
  } as ExportDocument["monitors"][number];
}

const exportAgent = ({ id, name, hostname, dependsOn }: KnownAgent): ExportDocument["agents"][number] => ({
  id,
  name,
  hostname,
  dependsOn,
});

const exportSlo = ({ targets, ...slo }: Slo): ExportDocument["slos"][number] => ({
  id: slo.id,
  name: slo.name,
  targets: targets?.map(({ type, id }) => ({ type, id })),
  ...sloRest(slo),
  policyId: slo.policyId,
});

const exportReport = ({
  recipients,
  nextAt: _next,
  issues: _issues,
  managed: _managed,
  createdAt: _created,
  updatedAt: _updated,
  ...report
}: ReportDefinition): ExportDocument["reports"][number] => ({
  ...report,
  recipients: recipients.map(({ address }) => address),
});
