import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import about from "../../package.json" with { type: "json" };

export interface Options {
  /** Names of scenarios, all by default. */
  chosen: string[];
  quick: boolean;
  keep: boolean;
  /** Prefix of the namespaces of an earlier run, whose installation is used. */
  reuse?: string;
  write: boolean;
  image: { repository: string; tag: string };
  target: string;
  /** Another tag of the same images for `upgrade`. By default, an annotation rolls the pods. */
  upgradeTag?: string;
  /** URL of a running Sonde for `discovery`. */
  sonde?: string;
  /** Overrides the small values, for example storage classes and pull secrets. */
  values: Record<string, unknown>;
}

export const help = `npm run test:kubernetes -- [SCENARIO …] [--quick] [--keep] [--reuse sonde-test-abcd] [--write]
  [--repository sonde] [--tag VERSION] [--target sonde/target:VERSION] [--upgrade-tag TAG] [--values FILE] [--sonde URL]`;

/** @throws Error that names the wrong argument */
export function readOptions(args: string[], names: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      repository: { type: "string", default: "sonde" },
      tag: { type: "string", default: about.version },
      target: { type: "string" },
      "upgrade-tag": { type: "string" },
      values: { type: "string" },
      reuse: { type: "string" },
      sonde: { type: "string" },
    },
  });
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`unknown scenario ${unknown.join(", ")}; choose from ${names.join(", ")}`);
  const { repository, tag, quick, keep, reuse, write } = values;
  return {
    // The order of the list, because scenarios build on each other.
    chosen: names.filter((name) => positionals.length === 0 || positionals.includes(name)),
    quick,
    keep,
    reuse,
    sonde: values.sonde,
    write,
    image: { repository, tag },
    target: values.target ?? `${repository}/target:${tag}`,
    upgradeTag: values["upgrade-tag"],
    values: values.values === undefined ? {} : (parse(readFileSync(values.values, "utf8")) as Record<string, unknown>),
  };
}
