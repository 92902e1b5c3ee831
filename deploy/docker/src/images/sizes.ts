import { output } from "./command.ts";

type Manifest = { Config: string; Layers: string[] };

/**
 * Bytes of an image's layers, unpacked, beyond those of its base.
 * @param archive a docker-archive
 * @param base digests of the base's layers
 */
export async function bytesBeyond(archive: string, base: readonly string[]): Promise<number> {
  const read = (name: string) => output("tar", ["-xOf", archive, name]);
  const [manifest] = JSON.parse(await read("manifest.json")) as [Manifest];
  const { rootfs } = JSON.parse(await read(manifest.Config)) as { rootfs: { diff_ids: string[] } };
  const sizes = new Map(
    (await output("tar", ["--list", "--verbose", "--numeric-owner", "--file", archive]))
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/))
      .map(([, , size, , , name = ""]) => [name, Number(size)]),
  );
  return manifest.Layers.reduce(
    (sum, layer, index) => (base.includes(rootfs.diff_ids[index] ?? "") ? sum : sum + (sizes.get(layer) ?? 0)),
    0,
  );
}
