import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { readPackage, root } from "@sonde/bundle/packages";
import { type Architecture, architectures, programs } from "../programs.ts";
import { ownArchitecture } from "./builder.ts";
import { official } from "./stand-ins.ts";

export type Options = {
  /** Whether an image was chosen, by its short name. */
  isWanted: (name: string) => boolean;
  /** Whether names were given, rather than all. */
  isChosen: boolean;
  tag: string;
  into: string | undefined;
  builder: string | undefined;
  storage: string | undefined;
  signingKey: string | undefined;
  registry: string;
  /** Whether each of Sonde's images is pushed to the registry. */
  push: boolean;
  /** The processors of images: the first is in their tags as it is, others are appended. */
  architectures: readonly Architecture[];
  /** An OCI layout that gets an index of each of Sonde's images. */
  layout: string | undefined;
};

/** Reads the words after `npm run images --`. @throws StartupError that names what is wrong */
export function readOptions(args: readonly string[]): Options {
  const values = parse(args);
  if (values.push && values.registry === "docker.io")
    throw new StartupError("--push needs --registry, the registry that is yours.");
  const only = values.only?.split(",");
  const known = [...programs.keys(), ...official.flatMap(({ tags }) => tags.map(shortName))];
  const unknown = only?.filter((name) => !known.includes(name)) ?? [];
  if (unknown.length > 0)
    throw new StartupError(`There is no image ${unknown.join(", ")}; there are ${known.join(", ")}.`);
  const chosen = architectures.filter((one) => (values.arch?.split(",") ?? [ownArchitecture]).includes(one));
  if (values.arch !== undefined && chosen.length !== values.arch.split(",").length)
    throw new StartupError(`--arch takes ${architectures.join(" and ")}, with a comma between them.`);
  return {
    isWanted: (name) => only === undefined || only.includes(name),
    isChosen: only !== undefined,
    tag: values.tag,
    into: values.into && resolve(values.into),
    builder: values.builder,
    storage: values.storage && resolve(values.storage),
    signingKey: values["signing-key"] && resolve(values["signing-key"]),
    registry: values.registry,
    push: values.push,
    architectures: chosen,
    layout: values.layout && resolve(values.layout),
  };
}

/** `docker.io/library/postgres:18` → `postgres-18`. */
export const shortName = (tag: string): string =>
  tag.replace(/^docker\.io\/(?:library\/)?/, "").replaceAll(/[/:]/g, "-");

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: "string" },
        tag: { type: "string", default: readPackage(root).version },
        into: { type: "string" },
        builder: { type: "string" },
        storage: { type: "string" },
        "signing-key": { type: "string" },
        registry: { type: "string", default: "docker.io" },
        push: { type: "boolean", default: false },
        arch: { type: "string" },
        layout: { type: "string" },
      },
    }).values;
  } catch (cause) {
    throw new StartupError((cause as Error).message, { cause });
  }
}
