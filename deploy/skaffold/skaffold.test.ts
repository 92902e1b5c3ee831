import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceNames } from "@sonde/proto/services";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";

type Artifact = { image: string; custom: { buildCommand: string; dependencies: { paths: string[] } } };
type SkaffoldFile = {
  build: { artifacts: Artifact[] };
  deploy: { helm: { releases: { name: string; chartPath: string; valuesFiles: string[] }[] } };
  portForward: { resourceName: string; localPort: number }[];
};

const root = join(import.meta.dirname, "../..");
const text = (path: string) => readFile(join(root, path), "utf8");
/** Folders of Sonde's own packages, by name. */
const folders: Record<string, string> = {
  "@sonde/proto": "proto",
  "@sonde/agent": "agent",
  "@sonde/local": "deploy/local",
  "@sonde/setup": "deploy/setup",
  "@sonde/web": "web",
};
const folderOf = (name: string) => folders[name] ?? name.replace("@sonde/", "services/");

let skaffold: SkaffoldFile;
let images: string[];
beforeAll(async () => {
  skaffold = parse(await text("skaffold.yaml")) as SkaffoldFile;
  images = skaffold.build.artifacts.map(({ image }) => image.replace("sonde/", ""));
});

it("builds every service and setup, each by its own name", () => {
  const services = serviceNames.map((name) => (name === "metrics" ? "metrics-embedded" : name));
  expect(images.toSorted()).toEqual([...services, "setup"].toSorted());
  for (const { image, custom } of skaffold.build.artifacts) {
    expect(custom.buildCommand).toBe(`sh deploy/skaffold/build-image ${image.replace("sonde/", "")}`);
  }
});

it("builds an image again when a package changes that the program stands on", async () => {
  for (const { image, custom } of skaffold.build.artifacts) {
    const name = image.replace("sonde/", "").replace("-embedded", "");
    const needed = await packagesOf(name === "setup" ? "@sonde/setup" : `@sonde/${name}`);
    // The services that deploy/local composes are what `npm start` runs, and no part of setup.
    const wanted = [...needed].map(folderOf).filter((folder) => name !== "setup" || !/^services\/(?!kit)/.test(folder));
    expect(custom.dependencies.paths, image).toEqual(expect.arrayContaining(wanted.map((folder) => `${folder}/**`)));
    for (const path of custom.dependencies.paths) {
      expect(existsSync(join(root, path.replace("/**", ""))), path).toBe(true);
    }
  }
});

it("loads and restarts the same images where no registry is", async () => {
  const [load, restart] = [await text("deploy/skaffold/load-images"), await text("deploy/skaffold/restart-services")];
  const all = /all="([^"]+)"/.exec(load)?.[1]?.split(" ") ?? [];
  expect(all.toSorted()).toEqual(images.toSorted());
  const restarted = /SONDE_ONLY:-([^}]+)\}/.exec(restart)?.[1]?.split(" ") ?? [];
  expect(restarted.toSorted()).toEqual(
    serviceNames.map((name) => (name === "probe-runner" ? "probe-runner-default" : name)).toSorted(),
  );
});

it("installs the chart that is here, and leads to its gateway", () => {
  const [release] = skaffold.deploy.helm.releases;
  expect(existsSync(join(root, release?.chartPath ?? "", "Chart.yaml"))).toBe(true);
  for (const file of release?.valuesFiles ?? []) expect(existsSync(join(root, file)), file).toBe(true);
  expect(skaffold.portForward).toEqual([
    expect.objectContaining({ resourceName: `${release?.name}-gateway`, localPort: 8080 }),
  ]);
});

/** A package of ours with all of ours below it. */
async function packagesOf(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const { dependencies = {} } = JSON.parse(await text(`${folderOf(name)}/package.json`)) as {
    dependencies?: Record<string, string>;
  };
  for (const other of Object.keys(dependencies)) if (other.startsWith("@sonde/")) await packagesOf(other, found);
  return found;
}
