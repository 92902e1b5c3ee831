/** Reads images out of an OCI layout, as they will be pushed. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { output } from "../docker/src/images/builder.ts";

type Descriptor = {
  digest: string;
  platform?: { os: string; architecture: string };
  annotations?: Record<string, string>;
};

/** An index of a layout, with the image of each processor. */
export type LayoutIndex = { name: string; digest: string; images: LayoutImage[] };
export type LayoutImage = {
  /** `linux/arm64` */
  platform: string;
  digest: string;
  /** Files of its layers, the base's first: tar, compressed. */
  layers: string[];
};

/** Every index of a layout, by name. @see https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md */
export async function readLayout(layout: string): Promise<LayoutIndex[]> {
  const { manifests } = await readJson<{ manifests: Descriptor[] }>(join(layout, "index.json"));
  const indexes = manifests.map(async ({ digest, annotations }) => {
    const index = await readJson<{ manifests: Descriptor[] }>(blobOf(layout, digest));
    const images = await Promise.all(index.manifests.map((descriptor) => readImage(layout, descriptor)));
    return { name: annotations?.["org.opencontainers.image.ref.name"] ?? "", digest, images };
  });
  return (await Promise.all(indexes)).toSorted((one, other) => one.name.localeCompare(other.name));
}

async function readImage(layout: string, { digest, platform }: Descriptor): Promise<LayoutImage> {
  const { layers } = await readJson<{ layers: Descriptor[] }>(blobOf(layout, digest));
  return {
    platform: platform === undefined ? "unknown" : `${platform.os}/${platform.architecture}`,
    digest,
    layers: layers.map((layer) => blobOf(layout, layer.digest)),
  };
}

/** The text of the files of a layer whose paths match, one after the other; empty where there is none. */
export async function readFromLayer(layer: string, pattern: RegExp): Promise<string> {
  const paths = (await filesIn(layer)).filter((path) => pattern.test(path));
  return paths.length === 0 ? "" : output("tar", ["-xOf", layer, ...paths]);
}

const listings = new Map<string, Promise<string[]>>();

/** The paths in a layer. Images share layers: each is listed once. */
export function filesIn(layer: string): Promise<string[]> {
  const known = listings.get(layer) ?? output("tar", ["-tf", layer]).then((text) => text.split("\n"));
  listings.set(layer, known);
  return known;
}

const blobOf = (layout: string, digest: string) => join(layout, "blobs", digest.replace(":", "/"));

const readJson = async <Content>(file: string) => JSON.parse(await readFile(file, "utf8")) as Content;
