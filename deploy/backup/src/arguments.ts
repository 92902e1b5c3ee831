import { StartupError } from "@sonde/kit/service/startup-error";
import { parseArgs } from "node:util";

export type Command =
  | { word: "backup"; to: string; withKey: boolean; keep: number }
  | { word: "restore"; from: string; onlyIfEmpty: boolean };

const usage: Record<Command["word"], string> = {
  backup: "Usage: backup FILE|FOLDER|s3://BUCKET/PREFIX/ [--with-key] [--keep NUMBER]",
  restore: "Usage: restore FILE|FOLDER|s3://BUCKET/KEY [--only-if-empty]",
};

/** Ignores arguments of `npm start` itself. @throws StartupError with the usage */
export function readCommand(word: Command["word"], argv: readonly string[]): Command {
  const args = argv.filter((argument) => argument !== "--outlive-hang-up");
  const flag = { type: "boolean", default: false } as const;
  try {
    if (word === "restore") {
      const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { "only-if-empty": flag } });
      return { word, from: onlyPlace(positionals), onlyIfEmpty: values["only-if-empty"] };
    }
    const keep = { type: "string", default: "0" } as const;
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { "with-key": flag, keep } });
    if (!/^\d{1,4}$/.test(values.keep)) throw new RangeError(values.keep);
    return { word, to: onlyPlace(positionals), withKey: values["with-key"], keep: Number(values.keep) };
  } catch (cause) {
    throw new StartupError(usage[word], { cause });
  }
}

function onlyPlace([place, ...others]: readonly string[]): string {
  if (place === undefined || place === "" || others.length > 0) throw new RangeError("one place is needed");
  return place;
}
