import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import about from "../../package.json" with { type: "json" };

export interface Options {
  /** Names of scenarios; all of them where none was named. */
  chosen: string[];
  /** Fewer monitors, fewer disruptions. */
  quick: boolean;
  /** Leave the namespaces where they are. */
  keep: boolean;
  /** Begins the names of namespaces that an earlier run left: what is installed there is used. */
  reuse?: string;
  write: boolean;
  image: { repository: string; tag: string };
  target: string;
  /** Another tag of the same images for `upgrade`; by default the pods are rolled by an annotation. */
  upgradeTag?: string;
  /** A Sonde that runs already, for `discovery`. */
  sonde?: string;
  /** Laid over the small values, as the cluster needs it: storage classes, pull secrets. */
  values: Record<string, unknown>;
}

export const help = `npm run test:kubernetes -- [SCENARIO …] [--quick] [--keep] [--reuse sonde-test-abcd] [--write]
  [--repository sonde] [--tag VERSION] [--target sonde/target:VERSION] [--upgrade-tag TAG] [--values FILE] [--sonde URL]`;

/** @throws Error that says which argument is wrong */
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
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(", ")}; there are ${names.join(", ")}`);
  const { repository, tag, quick, keep, reuse, write } = values;
  return {
    // In the order in which they build on each other, whatever the order of the arguments.
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
