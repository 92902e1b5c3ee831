import { documentErrors, hide, InvalidConfig, readConfig, resolveReferences } from "@sonde/import/config/read";
import { AppError, toAppError } from "@sonde/kit/errors";
import { maxApplyBytes } from "@sonde/proto/http/config/apply";
import { configFile, sourceName } from "@sonde/proto/http/config/document";
import { createHash } from "node:crypto";
import { ownVariables } from "./own-variables.ts";
import { type PreparedApply, readApply } from "./read.ts";

/** What the files of a mounted folder hold, or why they cannot be applied. */
export type FolderRead = {
  /** Of what they hold: two that are the same are applied once. */
  hash: string;
  /** Null where that cannot be read. */
  source: string | null;
  document: PreparedApply | null;
  /** Each in a sentence, with the file and the line. */
  problems: string[];
  /** The file and the line of each object. */
  places: Record<string, string>;
  /** What no message may hold. */
  secrets: string[];
};

/** Variables that exist once per service, user or key: DATABASE_URL_AUTH, NATS_PASSWORD_GATEWAY, SONDE_KEY_CHECK. */
const families = /^(?:SONDE|NATS|DATABASE|POSTGRES|CLICKHOUSE|BACKUP|AUTH|OIDC|AGENT|OTEL|SELF_WATCH)_/;
const own = new Set<string>(ownVariables);
/** True for Sonde's own settings: a file that reads them could send its passwords and keys elsewhere. */
const isOwnVariable = (name: string) => families.test(name.toUpperCase()) || own.has(name.toUpperCase());

/** Reads them as the command does; nothing that they hold makes this throw. */
export async function readFolder(folder: string, env: NodeJS.ProcessEnv = process.env): Promise<FolderRead> {
  const none = { document: null, places: {}, secrets: [] };
  let source: string | null = null;
  const failed = (problems: string[]): FolderRead => ({ ...none, source, hash: hashOf(problems), problems });
  const short = (text: string) => text.replaceAll(`${folder.replace(/\/+$/, "")}/`, "");
  try {
    const read = readConfig(folder);
    source = sourceName.safeParse(read.document["source"]).data ?? null;
    const faults = documentErrors(configFile, read.document, read);
    if (faults.length > 0) throw new InvalidConfig(faults);
    const { document, secrets } = resolveReferences(read, env, isOwnVariable);
    if (source === null) return failed(["A source is missing: write source: prod-git into a file"]);
    const { source: _named, ...config } = document;
    const places = Object.fromEntries(Object.entries(read.objects).map(([path, place]) => [path, short(place)]));
    if (Buffer.byteLength(JSON.stringify(config)) > maxApplyBytes)
      return failed(["The configuration is too large (at most 8 MiB)"]);
    try {
      const prepared = await readApply({ source, config, places });
      return { hash: hashOf([source, config, places]), source, document: prepared, problems: [], places, secrets };
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === "internal") throw thrown;
      return failed(hide(problemsOf(error, places), secrets));
    }
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    return failed(
      error.faults.map(({ path, message, place }) =>
        short([place && `${place.file}:${place.line}:${place.column}`, path, message].filter(Boolean).join(": ")),
      ),
    );
  }
}

const hashOf = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** The faults of a refusal, each with the place of its object. */
export function problemsOf({ message, details }: AppError, places: Readonly<Record<string, string>>): string[] {
  if (details.length === 0) return [message];
  return details.map((detail) => {
    const text = new AppError("invalid", detail.message, { params: detail.params ?? {} }).message;
    const [section, key] = detail.path.split(".");
    const place = places[`${section}.${key}`] ?? places[detail.path];
    return [place, detail.path, text].filter(Boolean).join(": ");
  });
}
