import { AppError, invalid } from "@sonde/kit/errors";
import { zipLines } from "@sonde/domain/managed/lines";
import { applyInput, maxConfigObjects } from "@sonde/proto/http/config/apply";
import type { ConfigDocument, ConfigEntry } from "@sonde/proto/http/config/document";
import type { ManagedKind } from "@sonde/proto/http/config/managed";
import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { sharedBy } from "@sonde/proto/http/monitors/monitors";
import { faultsOf, type FieldFault } from "@sonde/proto/http/reasons/issues";
import type { ConfigLine } from "@sonde/proto/rpc/apply";

export type PreparedDocument = {
  monitors: string;
  notifications: string;
  page: string;
  /** References to objects outside the document: keys of other sources, or `name:Ops team`. */
  outside: Record<"monitor" | "channel" | "template" | "schedule" | "policy", string[]>;
  /** Objects of other services that a part refers to, by key or name. */
  names: {
    notify: string[];
    page: string[];
    channels: string[];
    policies: string[];
    agents: string[];
    users: string[];
  };
  dependsOn: Record<string, string[]>;
};
export type PreparedApply = PreparedDocument & { source: string; revision?: string | undefined; allowDelete: number };

const maxErrors = 50;

/** @throws AppError invalid, with paths within the document */
export async function readApply(value: unknown): Promise<PreparedApply> {
  const parsed = applyInput.safeParse(value);
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues).slice(0, maxErrors).map(withinDocument));
  const { source, revision, allowDelete, config, places = {} } = parsed.data;
  return { source, revision, allowDelete, ...(await prepareDocument(config as ConfigDocument, places)) };
}

const withinDocument = ({ path, ...fault }: FieldFault): FieldFault => ({
  ...fault,
  path: path.replace(/^config\./, ""),
});

const defaultsFor = ({ type = "http" }: ConfigEntry, defaults: ConfigEntry): ConfigEntry =>
  sharedBy(type as CheckType, defaults as never) as ConfigEntry;

/** @throws AppError invalid */
export async function prepareDocument(
  config: ConfigDocument,
  places: Readonly<Record<string, string>> = {},
): Promise<PreparedDocument> {
  const {
    channels = {},
    templates = {},
    schedules = {},
    policies = {},
    drills = {},
    slos = {},
    monitors = {},
    settings = {},
    maintenance = {},
    reports = {},
    page,
    defaults,
  } = config;
  const all = [channels, templates, schedules, policies, drills, slos, monitors, maintenance, reports];
  const objects = all.flatMap((entries) => Object.keys(entries)).length;
  if (objects > maxConfigObjects) {
    throw new AppError("invalid", "A document can contain at most {max} objects", {
      params: { max: maxConfigObjects },
    });
  }
  refuseOtherMail(config);
  const line = (
    kind: ManagedKind,
    path: string,
    key: string,
    { adopt = false, ...fields }: ConfigEntry,
  ): ConfigLine => ({
    kind,
    key,
    adopt: adopt === true,
    place: places[path],
    fields,
  });
  const linesOf = (kind: ManagedKind, name: string, entries: Readonly<Record<string, object>>) =>
    Object.entries(entries).map(([key, entry]) => line(kind, `${name}.${key}`, key, entry as ConfigEntry));
  const wholes = Object.fromEntries(
    Object.entries(monitors).map(([key, entry]): [string, ConfigEntry] => [
      key,
      { ...defaultsFor(entry, defaults?.monitor ?? {}), ...entry },
    ]),
  );
  const notify = Object.entries(wholes).flatMap(([key, { notify: own, adopt }]) =>
    own === undefined ? [] : [line("notify", `monitors.${key}`, key, { ...(own as ConfigEntry), adopt })],
  );
  const ofMonitors = linesOf("monitor", "monitors", wholes).map(({ fields: { notify: _own, ...fields }, ...one }) => ({
    ...one,
    fields,
  }));
  const ofPage = [
    ...linesOf("maintenance", "maintenance", maintenance),
    ...(page === undefined ? [] : [line("page", "page", "page", page)]),
  ];
  const dependsOn = Object.fromEntries(
    ofMonitors.flatMap(({ key, fields: { dependsOn: refs } }) =>
      Array.isArray(refs) ? [[key, refs as string[]]] : [],
    ),
  );
  const membersOf = ({ fields: { members } }: { fields: ConfigEntry }) => (members ?? []) as string[];
  const named = namesIn(config);
  const recipients = Object.values(policies).flatMap(({ steps }) => steps.flatMap(({ notify: ofStep }) => ofStep));
  const notified = [...recipients, ...Object.values(drills).map(({ target }) => target)];
  const ofSlos = Object.values(slos);
  const wanted = ofSlos.flatMap(({ policy = [] }) => policy);
  const reported = Object.values(reports).flatMap(({ targets = [] }) => targets);
  const counted = ofSlos.flatMap(({ targets = [] }) => targets);
  const refs = [...Object.values(dependsOn).flat(), ...named.targets, ...counted, ...reported];
  const settingsLines = [...linesOf("settings", "settings", settings), ...notify].map(({ fields }) => fields);
  const holders = settingsLines.flatMap((fields) => [
    fields,
    ...((fields["rules"] as ConfigEntry[] | undefined) ?? []),
  ]);
  const notIn = (entries: object, names: readonly unknown[]) => [
    ...new Set(names.filter((name): name is string => typeof name === "string" && !Object.hasOwn(entries, name))),
  ];
  return {
    monitors: await zipLines([...ofMonitors, ...linesOf("slo", "slos", slos)]),
    notifications: await zipLines([
      ...linesOf("channel", "channels", channels),
      ...linesOf("template", "templates", templates),
      ...linesOf("schedule", "schedules", schedules),
      ...linesOf("policy", "policies", policies),
      ...linesOf("drill", "drills", drills),
      ...linesOf("settings", "settings", settings),
      ...notify,
      ...linesOf("report", "reports", reports),
    ]),
    page: await zipLines(ofPage),
    outside: {
      monitor: notIn(monitors, [...namesOf(refs, "monitor"), ...ofMonitors.flatMap(membersOf)]),
      channel: notIn(channels, [
        ...holders.flatMap((holder) => (holder["channels"] as string[] | undefined) ?? []),
        ...namesOf(notified, "channel"),
        ...Object.values(reports).map(({ channel }) => channel),
      ]),
      schedule: notIn(schedules, [...namesOf(recipients, "schedule"), ...namesOf(recipients, "everyone")]),
      policy: notIn(policies, [
        ...wanted,
        ...holders.map((holder) => holder["policy"]),
        ...namesOf(notified, "policy"),
      ]),
      template: notIn(
        templates,
        settingsLines.map((fields) => fields["template"]),
      ),
    },
    names: {
      notify: [...notify.map(({ key }) => key), ...namesOf(reported, "monitor")],
      page: [...new Set(namesOf(named.targets, "monitor"))],
      channels: named.channels,
      policies: [...new Set(wanted.filter((key) => Object.hasOwn(policies, key)))],
      agents: [...new Set(namesOf(refs, "agent"))],
      users: [
        ...new Set([
          ...Object.values(schedules).flatMap(({ layers }) => layers.flatMap(({ members }) => members)),
          ...namesOf(notified, "user"),
        ]),
      ],
    },
    dependsOn,
  };
}

const namesOf = (refs: readonly string[], type: string) =>
  refs.flatMap((ref) => (ref.startsWith(`${type}:`) ? [ref.slice(type.length + 1)] : []));

function namesIn({ page = {}, maintenance = {} }: ConfigDocument): { targets: string[]; channels: string[] } {
  const { monitors = [], agents = [], groups = [], names = [], subscriptions } = page;
  const lists = [{ monitors, agents }, ...groups];
  return {
    targets: [
      ...lists.flatMap((list) => (list.monitors ?? []).map((key) => `monitor:${key}`)),
      ...lists.flatMap((list) => (list.agents ?? []).map((name) => `agent:${name}`)),
      ...names.map(({ target }) => target),
      ...Object.values(maintenance).flatMap(({ targets = [] }) => targets),
    ],
    channels: subscriptions?.channel == null ? [] : [subscriptions.channel],
  };
}

/** @throws AppError invalid if the page would mail through a channel that cannot send mail */
function refuseOtherMail({ page, channels = {} }: ConfigDocument): void {
  const type = channels[page?.subscriptions?.channel ?? ""]?.["type"];
  if (type === undefined || type === "smtp" || type === "resend") return;
  throw invalid([{ path: "page.subscriptions.channel", message: "Choose an SMTP or Resend channel" }]);
}
