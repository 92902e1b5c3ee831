import { documentErrors, hide, InvalidConfig, readConfig, resolveReferences } from "@sonde/import/config/read";
import { AppError, toAppError } from "@sonde/kit/errors";
import { maxApplyBytes } from "@sonde/proto/http/config/apply";
import { configFile, sourceName } from "@sonde/proto/http/config/document";
import { createHash } from "node:crypto";
import { ownVariables } from "./own-variables.ts";
import { type PreparedApply, readApply } from "./read.ts";

export type FolderRead = {
  /** Contents with equal hashes are applied once. */
  hash: string;
  source: string | null;
  document: PreparedApply | null;
  problems: string[];
  /** File and line of each object. */
  places: Record<string, string>;
  /** Must not appear in any message. */
  secrets: string[];
};

/** Variables that exist per service, user or key: DATABASE_URL_AUTH, NATS_PASSWORD_GATEWAY, SONDE_KEY_CHECK. */
const families = /^(?:SONDE|NATS|DATABASE|POSTGRES|CLICKHOUSE|BACKUP|AUTH|OIDC|AGENT|OTEL|SELF_WATCH)_/;
const own = new Set<string>(ownVariables);
/** True for Sonde's own settings. A file that could read them could send its passwords and keys elsewhere. */
const isOwnVariable = (name: string) => families.test(name.toUpperCase()) || own.has(name.toUpperCase());

/** Invalid contents never make this throw. */
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

export function problemsOf({ message, details }: AppError, places: Readonly<Record<string, string>>): string[] {
  if (details.length === 0) return [message];
  return details.map((detail) => {
    const text = new AppError("invalid", detail.message, { params: detail.params ?? {} }).message;
    const [section, key] = detail.path.split(".");
    const place = places[`${section}.${key}`] ?? places[detail.path];
    return [place, detail.path, text].filter(Boolean).join(": ");
  });
}
