import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { basePackages } from "@sonde/agent/build/platforms";
import { closure, packageFolderOf, readPackage } from "../bundle/packages.ts";
import type { BundleContents } from "../bundle/build.ts";
import { root } from "../root.ts";

/** One component of an image. */
export type Component = {
  name: string;
  version: string;
  /** Its package URL, by which scanners know it. */
  purl: string;
  license?: string;
  /** Of the archive that npm fetched: SHA-512 in hexadecimal. */
  sha512?: string;
  /** Where its files are, at the time of the build. */
  folder?: string;
};

type Lock = { packages: Record<string, { integrity?: string }> };

/**
 * The npm packages whose text is in a bundle, or that are beside it whole, with those that its parts were built from.
 * @param builtFrom workspaces whose built form is in the image too: the web app
 */
export function npmComponents({ inputs, packages }: BundleContents, builtFrom: readonly string[] = []): Component[] {
  const folders = new Set(packages);
  for (const input of inputs) folders.add(packageFolderOf(join(root, input)) ?? workspaceOf(input));
  for (const workspace of builtFrom) closure(join(root, workspace), folders);
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  return [...folders]
    .map((folder) => fromPackage(folder, lock))
    .toSorted((one, other) => (one.purl < other.purl ? -1 : one.purl > other.purl ? 1 : 0))
    .filter(({ purl }, index, all) => purl !== all[index - 1]?.purl);
}

/** The package of ours that a source file belongs to. */
function workspaceOf(input: string): string {
  const [first = "", second = ""] = input.split("/");
  return join(root, ["services", "deploy"].includes(first) ? join(first, second) : first);
}

function fromPackage(folder: string, lock: Lock): Component {
  const { name, version, license } = readPackage(folder);
  const integrity = lock.packages[relative(root, folder)]?.integrity;
  return {
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    folder,
    ...(license === undefined ? {} : { license }),
    ...(integrity?.startsWith("sha512-")
      ? { sha512: Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex") }
      : {}),
  };
}

/** A program of another kind, as its image holds it. */
export function programComponent(name: "node" | "nats-server", version: string): Component {
  const about = {
    node: { purl: `pkg:generic/node@${version}`, license: "MIT" },
    "nats-server": { purl: `pkg:golang/github.com/nats-io/nats-server/v2@v${version}`, license: "Apache-2.0" },
  };
  return { name, version, ...about[name] };
}

/** Node of each platform that an agent is built for. */
export const agentNodes = (): Component[] =>
  Object.values(basePackages).map(({ name, version }) => ({
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    license: "MIT",
  }));
