import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import { relative, resolve } from "node:path";
import { type DocumentError, hide, type Place } from "@sonde/import/config/read";
import type { Terminal } from "./terminal.ts";

export const formats = ["text", "json", "github"] as const;
export type Format = (typeof formats)[number];

export type Outcome = {
  exitCode: number;
  message?: string;
  faults?: readonly DocumentError[];
  warnings?: readonly DocumentError[];
  plan?: ConfigPlan;
  generation?: unknown;
  placeOf?: (path: string) => Place | null;
};

/** Writes an outcome as text, JSON or annotations of a pull request, always without secrets. */
export function printOutcome(
  given: Outcome,
  format: Format,
  { out, err }: Terminal,
  secrets: readonly string[] = [],
): void {
  const placeOf = given.placeOf ?? (() => null);
  const { exitCode, message, generation, plan, faults = [], warnings = [] } = hide(given, secrets);
  if (format === "json") {
    const plain = (list: readonly DocumentError[]) => list.map(({ place, ...fault }) => ({ ...fault, ...place }));
    const found = { errors: plain(faults), ...(warnings.length > 0 && { warnings: plain(warnings) }) };
    out(JSON.stringify({ exitCode, message, ...found, plan, generation }, undefined, 2));
    return;
  }
  const isGithub = format === "github";
  for (const fault of faults)
    if (isGithub) out(annotation("error", fault.place, textOf(fault)));
    else err(lineOf(fault));
  for (const warning of warnings)
    if (isGithub) out(annotation("warning", warning.place, textOf(warning)));
    else err(`Warning: ${lineOf(warning)}`);
  if (plan !== undefined) for (const line of planLines(plan, placeOf, isGithub)) out(line);
  if (message !== undefined) out(message);
}

const escaped = (character: string) =>
  character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
/** Escapes control characters, with which a file could move the cursor or change what the terminal shows. */
export const printable = (text: string): string => text.replace(/(?![\n\t])\p{Cc}/gu, escaped);
/** Escapes line breaks, too: a second line could pass for our output, or for a pipeline command. */
export const escapeControls = (text: string): string => text.replace(/\p{Cc}/gu, escaped);

const textOf = ({ path, message }: DocumentError) => (path === "" ? message : `${path}: ${message}`);
const lineOf = (fault: DocumentError) =>
  escapeControls(`${fault.place === null ? "" : `${shown(fault.place)}: `}${textOf(fault)}`);
const shown = ({ file, line, column }: Place) => `${file}:${line}:${column}`;

type PlaceOf = (path: string) => Place | null;

function planLines({ create, update, remove, same, conflicts }: ConfigPlan, placeOf: PlaceOf, isGithub: boolean) {
  const line = (sign: keyof typeof titles, path: string, what = "") => {
    // A removed object is in no file, although its section may be.
    const place = sign === "-" ? null : placeOf(path);
    const text = what === "" ? path : `${path}: ${what}`;
    if (isGithub)
      return annotation(sign === "!" ? "error" : sign === "-" ? "warning" : "notice", place, text, titles[sign]);
    return escapeControls(`${sign} ${text}${place === null ? "" : `  (${place.file}:${place.line})`}`);
  };
  return [
    ...conflicts.map(({ path, message }) => line("!", path, message)),
    ...create.map((path) => line("+", path)),
    ...update.map(({ path, from, to }) => line("~", path, `${value(from)} → ${value(to)}`)),
    ...remove.map((path) => line("-", path)),
    `${create.length} to create, ${update.length} ${update.length === 1 ? "field" : "fields"} to change, ${remove.length} to remove, ${same.length} unchanged`,
  ];
}

const titles = { "+": "Create", "~": "Change", "-": "Remove", "!": "Conflict" } as const;
const maxShown = 200;
function value(of: unknown): string {
  const text = typeof of === "string" ? of : (JSON.stringify(of) ?? "nothing");
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** A workflow command of GitHub, which shows it next to a line of a file. Paths are relative to the repository. */
function annotation(level: "error" | "warning" | "notice", place: Place | null, text: string, title?: string): string {
  const escape = (part: string) => part.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const at = place === null ? {} : { file: relative("", resolve(place.file)), line: place.line, col: place.column };
  const properties = Object.entries({ ...at, ...(title === undefined ? {} : { title }) }).map(
    ([name, property]) => `${name}=${escape(String(property)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`,
  );
  return `::${[level, properties.join(",")].filter(Boolean).join(" ")}::${escape(text)}`;
}
