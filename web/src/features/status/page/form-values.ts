import { translate } from "@sonde/proto/http/messages";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import {
  configFault,
  pageForm,
  type PageSetting,
  type StatusConfig,
  statusConfig,
  statusConfigFields,
  type StatusConfigInput,
} from "@sonde/proto/http/status/config";
import { type FieldValue, readField, showField } from "../../../app/forms/schema-field.tsx";
import { currentLanguage } from "../../../app/i18n.ts";
import { schemaFaults, type FormFault } from "../../../lib/form-faults.ts";
import { type Group, orderedTargets, type ShownTarget } from "./arrange.ts";

export type PageValues = Record<PageSetting, FieldValue> &
  Pick<StatusConfig, "theme"> & {
    monitors: ShownTarget[];
    agents: ShownTarget[];
    groups: Group[];
    /** `channelId` is empty for none. */
    subscriptions: { enabled: boolean; channelId: string };
  };

const settings = Object.keys(pageForm) as PageSetting[];

/** The value of an empty text: null if the schema allows it. */
const emptyOf = (name: PageSetting) => (statusConfigFields[name].safeParse(null).success ? null : "");
/** True if the setting cannot be saved without a text. */
export const isRequired = (name: PageSetting): boolean =>
  typeof emptyOf(name) === "string" &&
  pageForm[name].input === "text" &&
  !statusConfigFields[name].safeParse("").success;

export function toValues(config: StatusConfig): PageValues {
  const groups = config.groups.map(({ name }, index) => ({ key: `stored-${index}`, name }));
  const shownOf = (type: TargetType): ShownTarget[] => {
    const kind = `${type}s` as const;
    const names = new Map(config.names.flatMap((entry) => (entry.type === type ? [[entry.id, entry.name]] : [])));
    const grouped = config.groups.flatMap((group, index) =>
      group[kind].map((id) => ({ id, group: groups[index]?.key ?? null })),
    );
    const taken = new Set(grouped.map(({ id }) => id));
    const others = config[kind].filter((id) => !taken.has(id)).map((id) => ({ id, group: null }));
    return [...grouped, ...others].map(({ id, group }) => ({ id, group, name: names.get(id) ?? "" }));
  };
  const shown = settings.map((name) => [name, showField(pageForm[name], config[name])]);
  const { theme, subscriptions } = config;
  return {
    ...(Object.fromEntries(shown) as Record<PageSetting, FieldValue>),
    theme: { ...theme },
    monitors: shownOf("monitor"),
    agents: shownOf("agent"),
    groups,
    subscriptions: { ...subscriptions, channelId: String(subscriptions.channelId ?? "") },
  };
}

export function readInput(values: PageValues): StatusConfig {
  const { theme, subscriptions } = values;
  const monitors = orderedTargets(values.monitors, values.groups);
  const agents = orderedTargets(values.agents, values.groups);
  const idsIn = (shown: readonly ShownTarget[], group: string) =>
    shown.filter((each) => each.group === group).map(({ id }) => id);
  const namesOf = (type: TargetType, shown: readonly ShownTarget[]) =>
    shown.flatMap(({ id, name }) => (name.trim() === "" ? [] : [{ type, id, name: name.trim() }]));
  const typed = settings.map((name) => [name, readField(pageForm[name], values[name], emptyOf(name))]);
  const read = Object.fromEntries(typed) as Pick<StatusConfig, PageSetting>;
  return {
    ...read,
    theme: { ...theme, accent: theme.accent.trim() },
    monitors: monitors.map(({ id }) => id),
    agents: agents.map(({ id }) => id),
    groups: values.groups.map(({ key, name }) => ({
      name: name.trim(),
      monitors: idsIn(monitors, key),
      agents: idsIn(agents, key),
    })),
    names: [...namesOf("monitor", monitors), ...namesOf("agent", agents)],
    // Addresses that are copied from a browser end in a slash, which an origin does not.
    embedOrigins: read.embedOrigins.map((text) => text.replace(/\/$/, "")),
    subscriptions: {
      ...subscriptions,
      channelId: subscriptions.channelId === "" ? null : Number(subscriptions.channelId),
    },
  };
}

// A group, a name and an order are of what is shown: they are sent together or not at all.
const targetFields = ["monitors", "agents", "groups", "names"] as const;

/** What differs from what was stored: changes of other fields by others are kept. */
export function changedFields(before: StatusConfig, after: StatusConfig): StatusConfigInput {
  const differs = (field: keyof StatusConfig) => JSON.stringify(before[field]) !== JSON.stringify(after[field]);
  const fields = Object.keys(after) as (keyof StatusConfig)[];
  const targets = targetFields.some(differs) ? targetFields : [];
  const others = fields.filter((field) => !targetFields.some((each) => each === field) && differs(field));
  return Object.fromEntries([...targets, ...others].map((field) => [field, after[field]]));
}

export function checkValues(values: PageValues): FormFault[] {
  const input = readInput(values);
  const found = schemaFaults(statusConfig, input);
  const whole = found.length === 0 ? configFault(input) : null;
  const faults = whole === null ? found : [{ ...whole, path: whole.path.join(".") }];
  return faults.map((fault) => {
    const path = pathOf(fault.path, values) ?? fault.path;
    const text = translate(fault.message, currentLanguage(), fault.params);
    const [head, index] = fault.path.split(".");
    const origin = head === "embedOrigins" && index !== undefined ? input.embedOrigins[Number(index)] : undefined;
    return { path, text: origin === undefined ? text : `${origin}: ${text}` };
  });
}

/**
 * The form's path of an input's (dotted); null where the form has no such field. `root`: of a list as a whole.
 * @param values what the input was read from
 */
export function pathOf(path: string, values: PageValues): string | null {
  const [head = "", part = "", last = ""] = path.split(".");
  if (head in pageForm) return head;
  if (head === "theme" || head === "subscriptions") return path;
  if (head === "monitors" || head === "agents") return `${head}.root`;
  if (head === "groups") return last === "name" ? path : "groups.root";
  if (head === "names") return pathOfName(Number(part), values);
  return null;
}

/** Names were sent for some targets only, in the page's order. */
function pathOfName(index: number, values: PageValues): string {
  const entry = readInput(values).names[index];
  const kind = entry?.type === "agent" ? "agents" : "monitors";
  const at = values[kind].findIndex(({ id }) => id === entry?.id);
  return at === -1 ? "monitors.root" : `${kind}.${at}.name`;
}
