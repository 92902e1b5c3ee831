import { type ConfigPlan, configPlan } from "@sonde/proto/http/config/apply";
import { configDocument, configFile } from "@sonde/proto/http/config/document";
import { addressFrom } from "./address.ts";
import { request, type Refused } from "./api.ts";
import { type Format, printOutcome } from "./output.ts";
import {
  type DocumentError,
  documentErrors,
  hide,
  InvalidConfig,
  readConfig,
  type ReadConfig,
  resolveReferences,
} from "@sonde/import/config/read";
import { warningsOf } from "./references.ts";
import { Ending, type ExitCode, exitCodes, failed, type Terminal } from "./terminal.ts";

export type ValidateOptions = { output: Format; strict?: boolean };
export type ApplyOptions = { output: Format; source?: string; revision?: string; allowDelete?: number };

/** The maximum number of objects of a document: a plan shows every removal. */
const anyNumber = 10_000;

const hasDifferences = ({ create, update, remove }: ConfigPlan) => create.length + update.length + remove.length > 0;

/** Validates without Sonde; secrets and objects of other sources may be missing. @throws Ending */
export function validateDocuments(
  path: string,
  { output, strict = false }: ValidateOptions,
  terminal: Terminal,
): ExitCode {
  const read = readValid(path);
  const count = Object.keys(read.objects).length;
  const message = `${count} ${count === 1 ? "object is" : "objects are"} valid`;
  const warnings = warningsOf(read, terminal.env);
  const exitCode = strict && warnings.length > 0 ? exitCodes.invalid : exitCodes.done;
  printOutcome({ exitCode, message, warnings }, output, terminal);
  return exitCode;
}

/** Shows what `apply` would do. @throws Ending */
export const diff = (path: string, options: ApplyOptions, terminal: Terminal) =>
  send(path, { ...options, allowDelete: options.allowDelete ?? anyNumber }, true, terminal);

/** @throws Ending */
export const apply = (path: string, options: ApplyOptions, terminal: Terminal) => send(path, options, false, terminal);

async function send(path: string, options: ApplyOptions, dryRun: boolean, terminal: Terminal): Promise<ExitCode> {
  const { env } = terminal;
  const read = readValid(path);
  const { objects, placeOf } = read;
  const { document, secrets } = resolved(read, env);
  const { source: named, ...config } = document;
  const source = options.source ?? named;
  if (typeof source !== "string")
    throw new Ending(exitCodes.invalid, "Missing source: add source: prod-git to a file, or pass --source");
  const revision = options.revision ?? (env.GITHUB_SHA || env.CI_COMMIT_SHA || undefined);
  const body = { source, revision, config, allowDelete: options.allowDelete ?? 0, places: objects };
  const answer = await request(addressFrom(terminal), "POST", `/api/apply${dryRun ? "?dryRun=true" : ""}`, body);
  if (!answer.ok) throw new Ending(codeOf(answer.status), hide(faultsOfAnswer(answer.body, read), secrets));
  const plan = configPlan.safeParse(answer.body.plan).data;
  if (plan === undefined) throw failed("Sonde returned no plan: its version is not compatible with this command");
  const [isRefused, differs] = [plan.conflicts.length > 0, dryRun && hasDifferences(plan)];
  const exitCode = isRefused ? exitCodes.refused : differs ? exitCodes.differences : exitCodes.done;
  const done = hasDifferences(plan) ? `Applied as ${source}` : "Nothing to apply";
  const message = dryRun || isRefused ? undefined : done;
  printOutcome(
    { exitCode, message, plan, generation: answer.body.generation, placeOf },
    options.output,
    terminal,
    secrets,
  );
  return exitCode;
}

/** @throws Ending with the errors of the files and their places */
function readValid(path: string): ReadConfig {
  const read = invalidEnds(() => readConfig(path));
  const faults = documentErrors(configFile, read.document, read);
  if (faults.length > 0) throw new Ending(exitCodes.invalid, faults);
  return read;
}

/** @throws Ending with each reference that is missing or invalid */
function resolved(read: ReadConfig, env: NodeJS.ProcessEnv) {
  const { document, secrets } = invalidEnds(() => resolveReferences(read, env));
  const faults = documentErrors(configDocument, document, read);
  if (faults.length > 0) throw new Ending(exitCodes.invalid, hide(faults, secrets));
  return { document, secrets };
}

function invalidEnds<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof InvalidConfig ? new Ending(exitCodes.invalid, error.faults) : error;
  }
}

/** 400: the file is invalid. 409 and 422: Sonde refuses to apply it. */
const codeOf = (status: number): ExitCode =>
  status === 400 ? exitCodes.invalid : status === 409 || status === 422 ? exitCodes.refused : exitCodes.error;

/** Paths of the document start with `config`. */
function faultsOfAnswer({ message, errors = [] }: Refused, { placeOf }: ReadConfig): DocumentError[] {
  const fields = errors.map(({ path, message }) => {
    const own = path.replace(/^config\./, "");
    return { path: own, message, place: placeOf(own) };
  });
  const isSaid = fields.some((field) => field.message === message);
  return isSaid ? fields : [{ path: "", message, place: null }, ...fields];
}
