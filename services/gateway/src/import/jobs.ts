import { encodeError } from "@sonde/kit/error-reply";
import { AppError, invalid, toAppError } from "@sonde/kit/errors";
import { exportVersion } from "@sonde/proto/http/export";
import { importInput } from "@sonde/proto/http/import";
import { scheduleImportInput } from "@sonde/proto/http/on-call/import";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { type PreparedApply, type PreparedDocument, prepareDocument, readApply } from "../apply/read.ts";
import { type FolderRead, readFolder } from "../apply/read-folder.ts";
import { readHealthchecks } from "@sonde/import/formats/healthchecks";
import { readKuma } from "@sonde/import/formats/kuma/read";
import type { ExistingObjects, TranslatedImport } from "@sonde/import/formats/shapes";
import { readSchedules } from "@sonde/import/schedules/read";
import type { ImportedSchedule } from "@sonde/import/schedules/shapes";
import { readExport } from "@sonde/import/formats/sonde";
import type * as z from "zod";
import { isStorable } from "@sonde/import/formats/texts";
import { toDocument } from "@sonde/import/formats/translate";

export type ReadJob =
  | { kind: "apply"; bytes: Uint8Array }
  | { kind: "folder"; path: string }
  | { kind: "schedules"; bytes: Uint8Array }
  | { kind: "import"; bytes: Uint8Array; minSeconds: number; known: ExistingObjects };
export type PreparedImport = Omit<TranslatedImport, "config"> & { document: PreparedDocument };
type Prepared = PreparedImport | PreparedApply | FolderRead | ImportedSchedule[];
/** `refused` is an encoded AppError. */
export type JobAnswer = { prepared: Prepared } | { refused: string };

const maxErrors = 50;

/** Invalid contents are part of the result; only internal errors throw. */
export async function answerJob(job: ReadJob): Promise<JobAnswer> {
  try {
    return { prepared: await read(job) };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "internal") throw thrown;
    return { refused: encodeError(error) };
  }
}

async function read(job: ReadJob): Promise<Prepared> {
  if (job.kind === "folder") return readFolder(job.path);
  const value = parse(job.bytes);
  refuseText(value);
  if (job.kind === "apply") return readApply(value);
  if (job.kind === "schedules") {
    const { source, data } = parsed(scheduleImportInput, value);
    return readSchedules(source, data);
  }
  const input = parsed(importInput, value);
  const prepared = async ({ config, ...translated }: TranslatedImport) => ({
    ...translated,
    document: await prepareDocument(config),
  });
  if (input.source === "kuma") return prepared(toDocument(readKuma(input.tables, job.minSeconds), job.known));
  if (input.source === "healthchecks") return prepared(toDocument(readHealthchecks(input.answer), job.known));
  if (input.export.version > exportVersion) {
    throw new AppError("impossible", "This export was created by a newer version of Sonde");
  }
  return prepared(toDocument(readExport(input.export), job.known));
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) throw invalid(faultsOf(error.issues).slice(0, maxErrors));
  return data as z.output<Schema>;
}

function parse(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new AppError("invalid", "The body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("invalid", "The body must be a JSON object");
  }
  return value;
}

/** A row of an imported file. Configuration documents never match: their body begins with `config`. */
const importedRow =
  /^(?:tables\.\w+|answer\.checks|export\.(?:monitors|channels|templates|schedules|policies|drills))\.\d/;
const maxLevels = 20;

const notValid = (path: readonly (string | number)[]) =>
  invalid([{ path: path.join(".").slice(0, 200), message: "This value is not valid" }]);

/**
 * Rejects text that cannot be stored (NUL, lone surrogates) and deep nesting. Sizes need no limit: this runs in a
 * thread with a time budget. In imports, the readers reject only the affected row.
 * @throws AppError invalid, with the path of the first
 */
function refuseText(value: unknown, path: readonly (string | number)[] = []): void {
  if (typeof value === "string") {
    if (isStorable(value) || importedRow.test(path.join("."))) return;
    throw notValid(path);
  }
  if (typeof value !== "object" || value === null) return;
  if (path.length > maxLevels) throw notValid(path);
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  for (const key of keys) refuseText((value as Record<string | number, unknown>)[key], [...path, key]);
}
