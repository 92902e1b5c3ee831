import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BundleContents } from "../bundle/build.ts";
import { readPackage } from "../bundle/packages.ts";
import type { ImageProgram } from "../programs.ts";
import { root } from "../root.ts";
import { agentNodes, type Component, npmComponents, programComponent } from "./components.ts";
import { licenceTexts } from "./licences.ts";
import { toSbom } from "./sbom.ts";

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
