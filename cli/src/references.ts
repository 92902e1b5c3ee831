import { type DocumentError, InvalidConfig, type ReadConfig, resolveReferences } from "@sonde/import/config/read";

type Section = "channels" | "templates" | "schedules" | "policies" | "monitors";
const nouns: Record<Section, string> = {
  channels: "channel",
  templates: "template",
  schedules: "schedule",
  policies: "policy",
  monitors: "monitor",
};
/** Fields that contain keys of a section. */
export const keyFields: Readonly<Record<string, Section>> = {
  channels: "channels",
  channel: "channels",
  template: "templates",
  policy: "policies",
  monitors: "monitors",
  members: "monitors",
};
/** Sections of the keys in `schedule:primary` and other references with a kind. */
const kinds: Readonly<Record<string, Section>> = {
  monitor: "monitors",
  channel: "channels",
  schedule: "schedules",
  everyone: "schedules",
  policy: "policies",
};
/** Splits `schedule:primary`; `null` for other texts, such as keys and `name:Ops`. */
export function readKind(text: string): { kind: string; section: Section; key: string } | null {
  const [kind = ""] = text.split(":", 1);
  const section = kinds[kind];
  return section === undefined || text === kind ? null : { kind, section, key: text.slice(kind.length + 1) };
}
const kindFields = new Set(["dependsOn", "targets", "target", "notify"]);

/** Possible problems of valid files: another source, or the environment of `apply`, can provide what is missing. */
export function warningsOf(read: ReadConfig, env: NodeJS.ProcessEnv): DocumentError[] {
  const { document, placeOf } = read;
  const missingKeys = missingReferences(document).map((fault) => ({ ...fault, place: placeOf(fault.path) }));
  return [...missingSource(document), ...missingKeys, ...missingTexts(read, env)];
}

function missingSource(document: ReadConfig["document"]): DocumentError[] {
  if (document["source"] !== undefined) return [];
  const message = "Missing source: add source: prod-git to a file, or pass --source to apply";
  return [{ message, path: "source", place: null }];
}

function missingTexts(read: ReadConfig, env: NodeJS.ProcessEnv): DocumentError[] {
  try {
    resolveReferences(read, env);
    return [];
  } catch (error) {
    if (error instanceof InvalidConfig) return error.faults;
    throw error;
  }
}

function missingReferences(document: ReadConfig["document"]): { path: string; message: string }[] {
  const missing: { path: string; message: string }[] = [];
  const look = (value: unknown, field: string, path: string) => {
    if (typeof value === "string") {
      const { section, key } = (kindFields.has(field) ? readKind(value) : null) ?? {
        section: keyFields[field],
        key: value,
      };
      if (section === undefined || key.startsWith("name:") || Object.hasOwn(entriesIn(document[section]), key)) return;
      missing.push({
        path,
        message: `No ${nouns[section]} in these files has the key ${key}: another source must define it`,
      });
    } else if (Array.isArray(value)) value.forEach((item, at) => look(item, field, `${path}.${at}`));
    else for (const [name, inner] of Object.entries(entriesIn(value))) look(inner, name, `${path}.${name}`);
  };
  const lookAtMonitor = (monitor: unknown, path: string) => {
    const { dependsOn, members, notify } = entriesIn(monitor);
    look(dependsOn, "dependsOn", `${path}.dependsOn`);
    look(members, "members", `${path}.members`);
    look(notify, "notify", `${path}.notify`);
  };
  lookAtMonitor(entriesIn(document["defaults"])["monitor"], "defaults.monitor");
  for (const [key, monitor] of Object.entries(entriesIn(document["monitors"])))
    lookAtMonitor(monitor, `monitors.${key}`);
  for (const section of ["policies", "drills", "slos", "settings", "maintenance", "page", "reports"])
    look(document[section], section, section);
  return missing;
}

const entriesIn = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
