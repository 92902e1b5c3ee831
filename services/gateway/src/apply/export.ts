import { isDeepStrictEqual } from "node:util";
import type { ConfigDocument, ConfigEntry } from "@sonde/proto/http/config/document";
import type { ManagedBy } from "@sonde/proto/http/config/managed";
import { defaultsOf, type SecretText } from "@sonde/proto/http/monitors/checks/kind";
import { kindOf } from "@sonde/proto/http/monitors/kinds";
import {
  defaultTimeoutSeconds,
  type KnownMonitor,
  sharedBy,
  sharedDefaultsOf,
  splitInput,
} from "@sonde/proto/http/monitors/monitors";
import { channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import type { NotificationChannel } from "@sonde/proto/http/notifications/channels";
import type { Drill } from "@sonde/proto/http/on-call/drills";
import type { EscalationPolicy } from "@sonde/proto/http/on-call/policies";
import type { NamedUser, OnCallSchedule } from "@sonde/proto/http/on-call/schedules";
import { agentSettings, monitorSettings, type NotificationSettings } from "@sonde/proto/http/notifications/settings";
import type { NotificationTemplate } from "@sonde/proto/http/notifications/templates";
import type { ReportDefinition } from "@sonde/proto/http/reports";
import { secretMask } from "@sonde/proto/http/secrets";
import { defaultStatusConfig, type StatusConfig } from "@sonde/proto/http/status/config";
import { sloDefaults, type Slo } from "@sonde/proto/http/slos";
import type { Maintenance } from "@sonde/proto/http/status/maintenance";

export type Exporting = {
  monitors: readonly KnownMonitor[];
  agents: readonly { id: number; name: string }[];
  channels: readonly NotificationChannel[];
  templates: readonly NotificationTemplate[];
  settings: {
    globalMonitor: NotificationSettings;
    globalAgent: NotificationSettings;
    monitors: Readonly<Record<string, NotificationSettings>>;
  };
  schedules: readonly OnCallSchedule[];
  policies: readonly EscalationPolicy[];
  drills: readonly Drill[];
  people: readonly NamedUser[];
  slos: readonly Slo[];
  maintenance: readonly Maintenance[];
  reports: readonly ReportDefinition[];
  page: StatusConfig;
};

/** Objects without a source are marked for adoption; secrets become references to environment variables. */
export function exportDocument(given: Exporting): ConfigDocument {
  const monitorKeys = keysOf(given.monitors, "monitor");
  const channelKeys = keysOf(given.channels, "channel");
  const templateKeys = keysOf(given.templates, "template");
  const policyKeys = keysOf(given.policies, "policy");
  const agentNames = new Map(given.agents.map(({ id, name }) => [id, name]));
  const keysIn = (keys: ReadonlyMap<number, string>, ids: readonly number[]) => ids.flatMap((id) => keys.get(id) ?? []);
  const refs = (targets: readonly { type: "monitor" | "agent"; id: number }[]) =>
    targets.flatMap(({ type, id }) => {
      const name = (type === "agent" ? agentNames : monitorKeys).get(id);
      return name === undefined ? [] : [`${type}:${name}`];
    });
  const settingsOf = (
    { channels, rules = [], templateId, policyId, ...rest }: NotificationSettings,
    defaults: NotificationSettings,
  ) => ({
    ...differing(rest, defaults),
    ...(channels.length > 0 && { channels: keysIn(channelKeys, channels) }),
    ...(rules.length > 0 && {
      rules: rules.map(({ tags, channels: ids, policyId: id }) => ({
        tags,
        channels: keysIn(channelKeys, ids),
        ...(id !== undefined && { policy: policyKeys.get(id) }),
      })),
    }),
    ...(templateId != null && { template: templateKeys.get(templateId) }),
    ...(policyId != null && { policy: policyKeys.get(policyId) }),
  });

  const monitorOf = (monitor: KnownMonitor): ConfigEntry => {
    const key = monitorKeys.get(monitor.id)!;
    const { shared, check } = splitInput(monitor);
    const { name, dependsOn, ...rest } = shared;
    const { fields } = kindOf(monitor.type);
    const own = Object.fromEntries(Object.entries(check).filter(([field]) => field in fields));
    if (monitor.type === "group") own["members"] = keysIn(monitorKeys, monitor.members);
    const notify = given.settings.monitors[monitor.id];
    return {
      ...(monitor.type !== "http" && { type: monitor.type }),
      ...(name !== key && { name }),
      ...withReferences(
        differing(own, { invert: false, ...defaultsOf(fields) }),
        key,
        kindOf(monitor.type).secrets(own),
      ),
      ...differing(sharedBy(monitor.type, rest as never), {
        ...sharedDefaultsOf(monitor.type),
        timeout: defaultTimeoutSeconds(monitor.interval),
        locations: ["default"],
      }),
      ...(dependsOn.length > 0 && { dependsOn: refs(dependsOn) }),
      ...(notify && { notify: settingsOf(notify, monitorSettings.parse({})) }),
      ...adopting(monitor),
    };
  };
  const channelOf = (channel: NotificationChannel): ConfigEntry => {
    const key = channelKeys.get(channel.id)!;
    const { fields, form } = channelTypeOf(channel.type);
    const secrets = form.filter(({ input }) => input === "secret").map(({ name }) => ({ path: [name], name }));
    const { headers } = channel.config as { headers?: readonly { name: string }[] };
    const ofHeaders = (headers ?? []).map(({ name }, at) => ({ path: ["headers", at, "value"], name }));
    return {
      type: channel.type,
      ...(channel.name !== key && { name: channel.name }),
      ...(!channel.enabled && { enabled: false }),
      ...withReferences(differing(channel.config, defaultsOf(fields)), key, [...secrets, ...ofHeaders]),
      ...adopting(channel),
    };
  };
  const names = new Map(given.people.map(({ id, name }) => [id, name]));
  const scheduleKeys = keysOf(given.schedules, "schedule");
  const layersOf = ({ layers }: OnCallSchedule) =>
    layers
      .map((layer) => ({ ...layer, members: layer.members.flatMap((id) => names.get(id) ?? []) }))
      .filter(({ members }) => members.length > 0);
  // Deleted channels and users are left out.
  const recipientOf = (recipient: string): string[] => {
    const [kind = "", id] = recipient.split(":");
    const keys = { user: names, channel: channelKeys, policy: policyKeys }[kind] ?? scheduleKeys;
    const key = keys.get(Number(id));
    return key === undefined ? [] : [`${kind}:${key}`];
  };
  const stepsOf = ({ steps }: EscalationPolicy) =>
    steps
      .map(({ needs, notify, ...step }) => {
        return { ...step, notify: notify.flatMap(recipientOf), ...(needs > 1 && { needs }) };
      })
      .filter(({ notify }) => notify.length > 0);
  const drills = given.drills.flatMap(({ target, targetName: name, schedule, nextAt, ...drill }) => {
    const [ref] = recipientOf(target);
    return ref === undefined || nextAt === undefined ? [] : [{ ...drill, name, target: ref, schedule }];
  });
  const drillKeys = keysOf(drills, "drill");
  const sloKeys = keysOf(given.slos, "slo");
  const reportKeys = keysOf(given.reports, "report");
  const windows = given.maintenance.filter(({ status }) => status !== "ended");
  const windowKeys = keysOf(windows, "maintenance");
  const settings = {
    monitors: settingsOf(given.settings.globalMonitor, monitorSettings.parse({})),
    agents: settingsOf(given.settings.globalAgent, agentSettings.parse({})),
  };
  const { page } = given;
  const { monitors, agents, groups, names: ownNames, subscriptions, logo: _l, favicon: _f, ...plain } = page;
  const shown = {
    monitors: keysIn(monitorKeys, monitors),
    agents: keysIn(agentNames, agents),
    groups: groups.map((group) => ({
      name: group.name,
      monitors: keysIn(monitorKeys, group.monitors),
      agents: keysIn(agentNames, group.agents),
    })),
    names: ownNames.flatMap(({ name, ...target }) => refs([target]).map((ref) => ({ target: ref, name }))),
    subscriptions: { enabled: subscriptions.enabled, channel: channelKeys.get(subscriptions.channelId ?? 0) ?? null },
  };
  const { subscriptions: _s, ...unshown } = defaultStatusConfig;
  const pageEntry = {
    ...differing(plain, defaultStatusConfig),
    ...differing(shown, { ...unshown, subscriptions: { enabled: false, channel: null } }),
  };
  return withoutEmpty({
    channels: byKey(given.channels, channelKeys, channelOf),
    templates: byKey(given.templates, templateKeys, ({ id, name, kind, subject, content, managed }) => ({
      ...(name !== templateKeys.get(id) && { name }),
      kind,
      subject,
      content,
      ...adopting({ managed }),
    })),
    schedules: byKey(
      given.schedules.filter((schedule) => layersOf(schedule).length > 0),
      scheduleKeys,
      (schedule) => ({
        ...(schedule.name !== scheduleKeys.get(schedule.id) && { name: schedule.name }),
        timeZone: schedule.timeZone,
        layers: layersOf(schedule),
        ...adopting(schedule),
      }),
    ),
    policies: byKey(
      given.policies.filter((policy) => stepsOf(policy).length > 0),
      policyKeys,
      (policy) => ({
        ...(policy.name !== policyKeys.get(policy.id) && { name: policy.name }),
        steps: stepsOf(policy),
        ...(policy.repeat > 0 && { repeat: policy.repeat }),
        ...(policy.lowUrgency !== undefined &&
          policy.lowUrgency.tags.length > 0 && { lowUrgency: { tags: policy.lowUrgency.tags } }),
        ...adopting(policy),
      }),
    ),
    drills: byKey(drills, drillKeys, ({ target, schedule, managed }) => ({
      target,
      schedule,
      ...adopting({ managed }),
    })),
    slos: byKey(
      given.slos.filter(({ tag, targets = [] }) => tag !== undefined || refs(targets).length > 0),
      sloKeys,
      (slo) => ({
        ...(slo.name !== sloKeys.get(slo.id) && { name: slo.name }),
        ...(slo.targets && { targets: refs(slo.targets) }),
        ...differing(sloRest(slo), sloDefaults),
        // A deleted policy is left out.
        ...(policyKeys.has(slo.policyId ?? 0) && { policy: policyKeys.get(slo.policyId ?? 0) }),
        ...adopting(slo),
      }),
    ),
    monitors: byKey(given.monitors, monitorKeys, monitorOf),
    settings: withoutEmpty(settings),
    maintenance: byKey(
      windows,
      windowKeys,
      ({ id, name, note, start, end, timeZone, rrule, public: isPublic, ...window }) => ({
        ...(name !== windowKeys.get(id) && { name }),
        targets: refs([
          ...window.monitors.map((target) => ({ type: "monitor" as const, id: target })),
          ...window.agents.map((target) => ({ type: "agent" as const, id: target })),
        ]),
        start,
        end,
        ...(timeZone !== "UTC" && { timeZone }),
        ...(window.tags.length > 0 && { tags: window.tags }),
        ...(rrule && { rrule }),
        ...(note && { note }),
        ...(!isPublic && { public: false }),
        ...adopting(window),
      }),
    ),
    page: pageEntry,
    reports: byKey(
      given.reports.filter(({ targets = [] }) => targets.length === 0 || refs(targets).length > 0),
      reportKeys,
      ({ id, name, targets, tag, pageId, every, timeZone, language, recipients, channelId, managed }) => ({
        ...(name !== reportKeys.get(id) && { name }),
        ...(targets !== undefined && { targets: refs(targets) }),
        ...(tag !== undefined && { tag }),
        ...(pageId !== undefined && { page: pageId }),
        every,
        ...differing({ timeZone, language }, { timeZone: "UTC", language: "en-US" }),
        ...(recipients.length > 0 && { recipients: recipients.map(({ address }) => address) }),
        ...(channelId !== undefined && channelKeys.has(channelId) && { channel: channelKeys.get(channelId) }),
        ...adopting({ managed }),
      }),
    ),
  }) as unknown as ConfigDocument;
}

export const sloRest = ({ tag, combine, objective, window, timeZone, latency, burnAlerts }: Slo) => ({
  tag,
  combine,
  objective,
  window,
  timeZone,
  latency,
  burnAlerts,
});

type Named = { id: number; name: string; managed?: ManagedBy | undefined };

/** Keeps the key of a managed object; derives others from the name. */
function keysOf(objects: readonly Named[], noun: string): Map<number, string> {
  const taken = new Set(objects.flatMap(({ managed }) => managed?.key ?? []));
  return new Map(
    objects.map(({ id, name, managed }) => {
      if (managed !== undefined) return [id, managed.key];
      const plain = name
        .toLowerCase()
        .replaceAll(/[^a-z0-9._-]+/g, "-")
        .replaceAll(/^[^a-z0-9]+|-+$/g, "")
        .slice(0, 50);
      const wanted = plain === "" ? noun : plain;
      const key = plain === "" || taken.has(wanted) ? `${wanted}-${id}` : wanted;
      taken.add(key);
      return [id, key];
    }),
  );
}

const byKey = <Item extends Named>(
  items: readonly Item[],
  keys: ReadonlyMap<number, string>,
  entryOf: (item: Item) => ConfigEntry,
) => Object.fromEntries(items.map((item) => [keys.get(item.id)!, entryOf(item)]));

const adopting = ({ managed }: Pick<Named, "managed">) => (managed === undefined ? { adopt: true } : {});

const differing = (fields: object, defaults: object): ConfigEntry =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => value !== undefined && !isDeepStrictEqual(value, (defaults as ConfigEntry)[name]),
    ),
  );

const withoutEmpty = (parts: Record<string, object>): Record<string, object> =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0));

function withReferences(fields: ConfigEntry, key: string, secrets: readonly SecretText[]): ConfigEntry {
  const made = structuredClone(fields);
  for (const { path, name } of secrets) {
    const holder = path
      .slice(0, -1)
      .reduce<Holder | undefined>((node, step) => node?.[step] as Holder | undefined, made);
    const last = path.at(-1);
    if (holder === undefined || last === undefined || holder[last] !== secretMask) continue;
    holder[last] = {
      env: `${key}_${name}`
        .toUpperCase()
        .replaceAll(/[^A-Z0-9]+/g, "_")
        .replace(/^(?=\d)/, "_"),
    };
  }
  return made;
}
type Holder = Record<string | number, unknown>;
