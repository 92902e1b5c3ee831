import { kumaTables, maxImportBytes } from "@sonde/proto/http/import";
import { sqliteMagic, UnreadableFileError } from "./sqlite/pages.ts";
import { readTables } from "./sqlite/tables.ts";

export type FileContent =
  | { source: "kuma"; tables: object }
  | { source: "sonde"; export: object }
  | { source: "healthchecks"; answer: object };
export type FileError = "unknown" | "broken" | "noMonitors" | "tooLarge";

/** The only setting that checks use; others are secrets of that installation. */
const wantedSetting = "tlsExpiryNotifyDays";

/** Reads a database of Uptime Kuma, optionally with its log, an export of Sonde, or a response of healthchecks.io. */
export async function readFiles(files: readonly File[]): Promise<{ content: FileContent } | { fault: FileError }> {
  const wal = files.find(({ name }) => name.endsWith("-wal")) ?? null;
  const file = files.find((one) => one !== wal);
  if (file === undefined) return { fault: "unknown" };
  const content = (await isSqlite(file)) ? await readKuma(file, wal) : await readExport(file);
  if (typeof content === "string") return { fault: content };
  const bytes = new Blob([JSON.stringify(content)]).size;
  return bytes > maxImportBytes ? { fault: "tooLarge" } : { content };
}

const isSqlite = async (file: Blob) => (await file.slice(0, sqliteMagic.length).text()) === sqliteMagic;

async function readKuma(file: Blob, wal: Blob | null): Promise<FileContent | FileError> {
  try {
    const tables = await readTables(file, wal, kumaTables);
    if (tables["monitor"] === undefined) return "unknown";
    if (tables["monitor"].length === 0) return "noMonitors";
    const setting = (tables["setting"] ?? []).filter(({ key }) => key === wantedSetting);
    return { source: "kuma", tables: { ...tables, setting } };
  } catch (error) {
    if (error instanceof UnreadableFileError) return "broken";
    throw error;
  }
}

async function readExport(file: Blob): Promise<FileContent | FileError> {
  if (file.size > maxImportBytes) return "tooLarge";
  try {
    const value: unknown = JSON.parse(await file.text());
    if (typeof value !== "object" || value === null) return "unknown";
    if ("checks" in value && Array.isArray(value.checks)) return { source: "healthchecks", answer: value };
    return "version" in value && "monitors" in value ? { source: "sonde", export: value } : "unknown";
  } catch {
    return "unknown";
  }
}
