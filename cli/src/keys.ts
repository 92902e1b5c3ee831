import { keyFields, readKind } from "./references.ts";
import type { Entry } from "./whole.ts";

const sections = [
  "channels",
  "templates",
  "schedules",
  "policies",
  "drills",
  "slos",
  "monitors",
  "maintenance",
  "reports",
] as const;
type Section = (typeof sections)[number];
/** Fields with references. Sections that are not listed may have them in all fields. */
const refFields: Readonly<Record<string, readonly string[]>> = {
  monitors: ["dependsOn", "notify", "members"],
  policies: ["steps"],
  drills: ["target"],
  slos: ["targets", "policy"],
  reports: ["targets", "channel"],
};
const entriesIn = (value: unknown): Record<string, Entry> =>
  typeof value === "object" && value !== null ? (value as Record<string, Entry>) : {};

/**
 * Renames keys of an export to those of a file. Objects that users took over have no key, and the export generates
 * one from the name; they correspond to the file's object of the same name and type, drills to one of the
 * same target.
 */
export function withKeysOf(file: Entry, config: Entry): Entry {
  const keys = new Map<string, string>();
  for (const section of sections) {
    const [given, wanted] = [entriesIn(file[section]), entriesIn(config[section])];
    const free = new Map(
      Object.entries(given)
        .filter(([key]) => !(key in wanted))
        .map(([key, entry]) => [lookOf(key, entriesIn(entry)), key]),
    );
    for (const [key, entry] of Object.entries(wanted)) {
      const own = key in given || entry["adopt"] !== true ? undefined : free.get(lookOf(key, entry));
      if (own !== undefined) keys.set(`${section}.${key}`, own);
    }
  }
  if (keys.size === 0) return config;
  const keyOf = (section: Section, key: string) => keys.get(`${section}.${key}`) ?? key;
  const renamed = (value: unknown, field: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => renamed(one, field));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, renamed(inner, name)]));
    if (typeof value !== "string") return value;
    const ref = readKind(value);
    if (ref !== null) return `${ref.kind}:${keyOf(ref.section, ref.key)}`;
    return keyFields[field] === undefined ? value : keyOf(keyFields[field], value);
  };
  const entryOf = (section: string, entry: Entry): Entry => {
    if (["channels", "templates", "schedules"].includes(section)) return entry;
    const refs = Object.entries(entry).filter(([name]) => refFields[section]?.includes(name) ?? true);
    return { ...entry, ...Object.fromEntries(refs.map(([name, value]) => [name, renamed(value, name)])) };
  };
  return Object.fromEntries(
    Object.entries(config).map(([section, entries]) => [
      section,
      section === "page"
        ? renamed(entries, section)
        : Object.fromEntries(
            Object.entries(entriesIn(entries)).map(([key, entry]) => {
              const own = keys.get(`${section}.${key}`);
              const isRenamed = own !== undefined && section !== "drills";
              return [own ?? key, { ...(isRenamed && { name: key }), ...entryOf(section, entry) }];
            }),
          ),
    ]),
  );
}

const lookOf = (key: string, { name, type, target }: Entry) => JSON.stringify([target ?? name ?? key, type ?? "http"]);
