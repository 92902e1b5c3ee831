/** The list of what an image holds: what Sonde's build wrote into it, and the packages of its base. */
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { uuidOf } from "../docker/src/contents/write.ts";
import { type LayoutImage, readFromLayer } from "./layout.ts";

type Sbom = {
  serialNumber: string;
  metadata: { component: object };
  components: object[];
};

/** CycloneDX in JSON. @throws StartupError where the image has none of its own */
export async function sbomOf({ digest, layers }: LayoutImage): Promise<string> {
  const own = (await Promise.all(layers.map((layer) => readFromLayer(layer, /^app\/sbom\.cdx\.json$/)))).join("");
  if (own === "") throw new StartupError(`The image ${digest} has no /app/sbom.cdx.json.`);
  const packages = await Promise.all(layers.map((layer) => readFromLayer(layer, /^var\/lib\/dpkg\/status(\.d\/.+)?$/)));
  return withPackages(own, digest, packages.join("\n"));
}

/**
 * Adds what dpkg knows of.
 * @param digest of the image, by which the list is about this one alone
 * @param status files of dpkg: paragraphs of `Package`, `Version`, `Architecture`
 */
export function withPackages(own: string, digest: string, status: string): string {
  const sbom = JSON.parse(own) as Sbom;
  const hash = { alg: "SHA-256", content: digest.replace("sha256:", "") };
  sbom.metadata.component = { ...sbom.metadata.component, type: "container", hashes: [hash] };
  // A package that the base has may have been added once more.
  const packages = new Map(status.split(/\n{2,}/).flatMap(packageOf));
  sbom.components.push(...packages.values());
  sbom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify([sbom.metadata, sbom.components]))}`;
  return `${JSON.stringify(sbom, null, 1)}\n`;
}

/** A package of dpkg that is there, by its address. */
function packageOf(paragraph: string): [string, object][] {
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(paragraph)?.[1];
  const [name, version, architecture] = [field("Package"), field("Version"), field("Architecture")];
  const isGone = /^Status: .*(?:config-files|not-installed)$/m.test(paragraph);
  if (name === undefined || version === undefined || isGone) return [];
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return [[purl, { type: "library", "bom-ref": purl, name, version, purl }]];
}
