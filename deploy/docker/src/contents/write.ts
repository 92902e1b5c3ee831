import { basePackages } from "@sonde/agent/build/base";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { closure, packageFolderOf, readPackage, root } from "@sonde/bundle/packages";
import type { ImageProgram } from "../programs.ts";
import type { BundleContents } from "../write-program.ts";

/** Writes what a program's image holds beside it: `sbom.cdx.json` and `THIRD-PARTY-LICENSES.txt`. */
export async function writeContents(
  name: string,
  program: ImageProgram,
  bundled: BundleContents,
  into: string,
): Promise<void> {
  const components = [...npmComponents(bundled, program.builtFrom), ...others(program)];
  const image = { name, version: readPackage(root).version };
  await writeFile(join(into, "sbom.cdx.json"), toSbom(image, components));
  await writeFile(join(into, "THIRD-PARTY-LICENSES.txt"), licenceTexts(components));
}

/** The Node that runs the build is the base's, and so the image's. */
function others({ builtFrom, natsServer }: ImageProgram): Component[] {
  const nats = natsServer === true ? natsVersion() : undefined;
  return [
    programComponent("node", process.versions.node),
    ...(builtFrom?.includes("agent") ? agentNodes() : []),
    ...(nats === undefined ? [] : [programComponent("nats-server", nats)]),
  ];
}

/** Of the nats-server on PATH; undefined if there is none, and none can be copied into the image either. */
function natsVersion(): string | undefined {
  try {
    return /v(\d\S*)/.exec(execFileSync("nats-server", ["--version"], { encoding: "utf8", stdio: "pipe" }))?.[1];
  } catch {
    return undefined;
  }
}

/**
 * What an image holds beyond its base, as CycloneDX 1.6 in JSON. The same contents make the same text: it carries no
 * time, and its serial number is made of the rest.
 * @see https://cyclonedx.org/docs/1.6/json/
 */
export function toSbom(image: { name: string; version: string }, components: readonly Component[]): string {
  const body = {
    metadata: {
      component: {
        type: "application",
        "bom-ref": `sonde/${image.name}`,
        name: `sonde/${image.name}`,
        version: image.version,
        licenses: [{ license: { id: "MIT" } }],
      },
    },
    components: components.map(({ name, version, purl, license, sha512 }) => ({
      type: "library",
      "bom-ref": purl,
      name,
      version,
      ...(license === undefined ? {} : { licenses: [licenceOf(license)] }),
      purl,
      ...(sha512 === undefined ? {} : { hashes: [{ alg: "SHA-512", content: sha512 }] }),
    })),
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(body))}`;
  return `${JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.6", serialNumber, version: 1, ...body }, null, 1)}\n`;
}

/** `MIT`, an expression of SPDX (`MIT OR Apache-2.0`), or free text. */
function licenceOf(text: string) {
  if (/^[\w.+-]+$/.test(text)) return { license: { id: text } };
  return /^\(?[\w.+-]+(?:\)? (?:AND|OR|WITH) \(?[\w.+-]+\)?)+$/.test(text)
    ? { expression: text }
    : { license: { name: text } };
}

/** A UUID made of a text (RFC 9562, version 8). */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

const licenceFile = /(?:^|\.)(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;

/** The licences of all packages in an image, as most of them ask to be handed on. */
export function licenceTexts(components: readonly Component[]): string {
  const parts = components.map(({ name, version, license, folder }) => {
    const title = `${name} ${version}${license === undefined ? "" : ` (${license})`}`;
    const texts = folder === undefined ? [] : licencesIn(folder);
    return [title, "=".repeat(title.length), ...texts].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}

const licencesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenceFile.test(entry.name))
    .map(({ name }) => name)
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8").trim());

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
  const folders = new Set<string>();
  for (const input of inputs) folders.add(packageFolderOf(join(root, input)) ?? workspaceOf(input));
  for (const workspace of builtFrom) closure(join(root, workspace), folders);
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  return [...[...folders].map((folder) => [relative(root, folder), folder] as const), ...packages]
    .map(([path, folder]) => fromPackage(folder, lock.packages[path]?.integrity))
    .toSorted((one, other) => (one.purl < other.purl ? -1 : one.purl > other.purl ? 1 : 0))
    .filter(({ purl }, index, all) => purl !== all[index - 1]?.purl);
}

/** The package of ours that a source file belongs to. */
function workspaceOf(input: string): string {
  const [first = "", second = ""] = input.split("/");
  return join(root, ["services", "deploy", "packages"].includes(first) ? join(first, second) : first);
}

function fromPackage(folder: string, integrity: string | undefined): Component {
  const { name, version, license } = readPackage(folder);
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
