import { translate } from "@sonde/proto/http/messages";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { configFault, type StatusConfig, statusConfig, type StatusConfigInput } from "@sonde/proto/http/status/config";
import { currentLanguage } from "../../../app/i18n.ts";
import { faultsIn, type FormFault } from "../../../lib/form-faults.ts";
import { type Group, inOrder, type ShownTarget } from "./arrange.ts";

type SameFields = "title" | "description" | "showResponseTimes" | "showIncidents" | "searchable";
/** What is in the form: texts as they were typed. */
export type PageValues = Pick<StatusConfig, SameFields> &
  StatusConfig["theme"] & {
    /** Empty: none. */
    logoUrl: string;
    monitors: ShownTarget[];
    agents: ShownTarget[];
    groups: Group[];
    /** One a line. */
    embedOrigins: string;
    subscribe: boolean;
    /** An id; empty: none. */
    channelId: string;
  };

export function toValues(config: StatusConfig): PageValues {
  const { theme, names: allNames, subscriptions, ...same } = config;
  const groups = config.groups.map(({ name }, index) => ({ key: `stored-${index}`, name }));
  const shownOf = (type: TargetType): ShownTarget[] => {
    const kind = `${type}s` as const;
    const names = new Map(allNames.flatMap((entry) => (entry.type === type ? [[entry.id, entry.name]] : [])));
    const grouped = config.groups.flatMap((group, index) =>
      group[kind].map((id) => ({ id, group: groups[index]?.key ?? null })),
    );
    const taken = new Set(grouped.map(({ id }) => id));
    const others = config[kind].filter((id) => !taken.has(id)).map((id) => ({ id, group: null }));
    return [...grouped, ...others].map(({ id, group }) => ({ id, group, name: names.get(id) ?? "" }));
  };
  return {
    ...same,
    ...theme,
    logoUrl: config.logoUrl ?? "",
    monitors: shownOf("monitor"),
    agents: shownOf("agent"),
    groups,
    embedOrigins: config.embedOrigins.join("\n"),
    subscribe: subscriptions.enabled,
    channelId: String(subscriptions.channelId ?? ""),
  };
}

export function readInput(values: PageValues): StatusConfig {
  const { mode, accent, subscribe, channelId, ...same } = values;
  const monitors = inOrder(values.monitors, values.groups);
  const agents = inOrder(values.agents, values.groups);
  const idsIn = (shown: readonly ShownTarget[], group: string) =>
    shown.filter((each) => each.group === group).map(({ id }) => id);
  const namesOf = (type: TargetType, shown: readonly ShownTarget[]) =>
    shown.flatMap(({ id, name }) => (name.trim() === "" ? [] : [{ type, id, name: name.trim() }]));
  return {
    ...same,
    logoUrl: values.logoUrl.trim() || null,
    theme: { mode, accent: accent.trim() },
    monitors: monitors.map(({ id }) => id),
    agents: agents.map(({ id }) => id),
    groups: values.groups.map(({ key, name }) => ({
      name: name.trim(),
      monitors: idsIn(monitors, key),
      agents: idsIn(agents, key),
    })),
    names: [...namesOf("monitor", monitors), ...namesOf("agent", agents)],
    // An address as it is copied from the browser ends in a slash, which an origin has not.
    embedOrigins: values.embedOrigins.split(/[\s,]+/).flatMap((text) => (text === "" ? [] : [text.replace(/\/$/, "")])),
    subscriptions: { enabled: subscribe, channelId: channelId === "" ? null : Number(channelId) },
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

/** Everything that is wrong with what is in the form, by the form's own paths. */
export function checkValues(values: PageValues): FormFault[] {
  const input = readInput(values);
  const found = faultsIn(statusConfig, input);
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

const samePaths = [
  "title",
  "description",
  "logoUrl",
  "showResponseTimes",
  "showIncidents",
  "searchable",
  "embedOrigins",
];

/**
 * The form's path of an input's (dotted); null where the form has no such field. `root`: of a list as a whole.
 * @param values what the input was read from
 */
export function pathOf(path: string, values: PageValues): string | null {
  const [head = "", part = "", last = ""] = path.split(".");
  if (samePaths.includes(head)) return head;
  if (head === "theme") return part === "mode" ? "mode" : "accent";
  if (head === "monitors" || head === "agents") return `${head}.root`;
  if (head === "groups") return last === "name" ? path : "groups.root";
  if (head === "names") return pathOfName(Number(part), values);
  if (head === "subscriptions") return part === "enabled" ? "subscribe" : "channelId";
  return null;
}

/** Names were sent for some targets only, in the page's order. */
function pathOfName(index: number, values: PageValues): string {
  const entry = readInput(values).names[index];
  const kind = entry?.type === "agent" ? "agents" : "monitors";
  const at = values[kind].findIndex(({ id }) => id === entry?.id);
  return at === -1 ? "monitors.root" : `${kind}.${at}.name`;
}
