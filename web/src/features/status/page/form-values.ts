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
import { schemaErrors, type FormError } from "../../../lib/form-errors.ts";
import { type Group, orderedTargets, type ShownTarget } from "./arrange.ts";

export type PageValues = Record<PageSetting, FieldValue> &
  Pick<StatusConfig, "logo" | "favicon" | "theme"> & {
    monitors: ShownTarget[];
    agents: ShownTarget[];
    groups: Group[];
    /** `channelId` is empty for none. */
    subscriptions: { enabled: boolean; channelId: string };
  };

const settings = Object.keys(pageForm) as PageSetting[];

/** Value of an empty text: `null` if the schema allows it. */
const emptyOf = (name: PageSetting) => (statusConfigFields[name].safeParse(null).success ? null : "");
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
  const { logo, favicon, theme, subscriptions } = config;
  return {
    logo,
    favicon,
    ...(Object.fromEntries(shown) as Record<PageSetting, FieldValue>),
    theme: { ...theme },
    monitors: shownOf("monitor"),
    agents: shownOf("agent"),
    groups,
    subscriptions: { ...subscriptions, channelId: String(subscriptions.channelId ?? "") },
  };
}

export function readInput(values: PageValues): StatusConfig {
  const { logo, favicon, theme, subscriptions } = values;
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
    logo,
    favicon,
    theme: { ...theme, accent: theme.accent.trim() },
    monitors: monitors.map(({ id }) => id),
    agents: agents.map(({ id }) => id),
    groups: values.groups.map(({ key, name }) => ({
      name: name.trim(),
      monitors: idsIn(monitors, key),
      agents: idsIn(agents, key),
    })),
    names: [...namesOf("monitor", monitors), ...namesOf("agent", agents)],
    // Removes the trailing slash of URLs copied from a browser. Origins have none.
    embedOrigins: read.embedOrigins.map((text) => text.replace(/\/$/, "")),
    subscriptions: {
      ...subscriptions,
      channelId: subscriptions.channelId === "" ? null : Number(subscriptions.channelId),
    },
  };
}

// These fields refer to each other, so they are sent together or not at all.
const targetFields = ["monitors", "agents", "groups", "names"] as const;

/** Returns only the changed fields, so that other users' changes to other fields are kept. */
export function changedFields(before: StatusConfig, after: StatusConfig): StatusConfigInput {
  const differs = (field: keyof StatusConfig) => JSON.stringify(before[field]) !== JSON.stringify(after[field]);
  const fields = Object.keys(after) as (keyof StatusConfig)[];
  const targets = targetFields.some(differs) ? targetFields : [];
  const others = fields.filter((field) => !targetFields.some((each) => each === field) && differs(field));
  return Object.fromEntries([...targets, ...others].map((field) => [field, after[field]]));
}

export function checkValues(values: PageValues): FormError[] {
  const input = readInput(values);
  const found = schemaErrors(statusConfig, input);
  const whole = found.length === 0 ? configFault(input) : null;
  const errors = whole === null ? found : [{ ...whole, path: whole.path.join(".") }];
  return errors.map((error) => {
    const path = pathOf(error.path, values) ?? error.path;
    const text = translate(error.message, currentLanguage(), error.params);
    const [head, index] = error.path.split(".");
    const origin = head === "embedOrigins" && index !== undefined ? input.embedOrigins[Number(index)] : undefined;
    return { path, text: origin === undefined ? text : `${origin}: ${text}` };
  });
}

/**
 * Maps a dotted path of the input to the form's path, or `null` if there is no such field. `root` marks an error of a
 * whole list.
 * @param values the values that the input was read from
 */
export function pathOf(path: string, values: PageValues): string | null {
  const [head = "", part = "", last = ""] = path.split(".");
  if (head in pageForm || head === "logo" || head === "favicon") return head;
  if (head === "theme" || head === "subscriptions") return path;
  if (head === "monitors" || head === "agents") return `${head}.root`;
  if (head === "groups") return last === "name" ? path : "groups.root";
  if (head === "names") return pathOfName(Number(part), values);
  return null;
}

/** The input lists only targets with names, in the page's order. */
function pathOfName(index: number, values: PageValues): string {
  const entry = readInput(values).names[index];
  const kind = entry?.type === "agent" ? "agents" : "monitors";
  const at = values[kind].findIndex(({ id }) => id === entry?.id);
  return at === -1 ? "monitors.root" : `${kind}.${at}.name`;
}
