import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { serviceNames } from "@sonde/proto/services";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

type Artifact = { image: string; custom: { buildCommand: string; dependencies: { paths: string[] } } };
type SkaffoldFile = {
  build: { artifacts: Artifact[] };
  deploy: {
    helm: { releases: { name: string; chartPath: string; valuesFiles: string[]; setValueTemplates: object }[] };
  };
  portForward: { resourceName: string; localPort: number }[];
};

const root = join(import.meta.dirname, "../..");
const text = (path: string) => readFile(join(root, path), "utf8");
const folders: Record<string, string> = {
  "@sonde/cli": "cli",
  "@sonde/import": "packages/import",
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

it("builds an image for every service and for setup", () => {
  const services = serviceNames.map((name) => (name === "metrics" ? "metrics-embedded" : name));
  expect(images.toSorted()).toEqual([...services, "setup"].toSorted());
  for (const { image, custom } of skaffold.build.artifacts) {
    expect(custom.buildCommand).toBe(`sh deploy/skaffold/build-image ${image.replace("sonde/", "")}`);
  }
});

it("rebuilds an image when a package changes that the program depends on", async () => {
  for (const { image, custom } of skaffold.build.artifacts) {
    const name = image.replace("sonde/", "").replace("-embedded", "");
    const needed = await packagesOf(name === "setup" ? "@sonde/setup" : `@sonde/${name}`);
    // setup depends on deploy/local, but does not run the services of `npm start`.
    const expected = [...needed]
      .map(folderOf)
      .filter((folder) => name !== "setup" || !/^services\/(?!kit)/.test(folder));
    expect(custom.dependencies.paths, image).toEqual(expect.arrayContaining(expected.map((folder) => `${folder}/**`)));
    for (const path of custom.dependencies.paths) {
      expect(existsSync(join(root, path.replace("/**", ""))), path).toBe(true);
    }
  }
});

it("loads all images and restarts all services if there is no registry and SONDE_ONLY is not set", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sonde-skaffold-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const program of ["npm", "kubectl"]) {
    await writeFile(join(folder, program), '#!/bin/sh\necho "$*"\n', { mode: 0o755 });
  }
  const env = { PATH: `${folder}:${process.env.PATH}`, SONDE_LOAD_IMAGE: "echo" };
  const run = async (script: string) =>
    (await promisify(execFile)("sh", [join("deploy/skaffold", script)], { cwd: root, env })).stdout;
  expect(
    /--only (\S+)/
      .exec(await run("load-images"))?.[1]
      ?.split(",")
      .toSorted(),
  ).toEqual(images.toSorted());
  const restarted = [...(await run("restart-services")).matchAll(/deployment\/sonde-(\S+)/g)].map(
    ([, name = ""]) => name,
  );
  expect(restarted.toSorted()).toEqual(
    serviceNames.map((name) => (name === "probe-runner" ? "probe-runner-default" : name)).toSorted(),
  );
});

it("passes the archive of each requested image to the command SONDE_LOAD_IMAGE", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sonde-skaffold-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // A fake npm that prints its arguments and creates the archives.
  const npm = `#!/bin/sh\necho "npm $*"\nfor into; do :; done\ntouch "$into/sonde-auth.tar" "$into/sonde-setup.tar"\n`;
  await writeFile(join(folder, "npm"), npm, { mode: 0o755 });
  const { stdout } = await promisify(execFile)("sh", [join(root, "deploy/skaffold/load-images")], {
    env: { PATH: `${folder}:${process.env.PATH}`, SONDE_ONLY: "auth setup", SONDE_LOAD_IMAGE: "echo load into nodes" },
  });
  expect(stdout.replace(/--into \S+/, "--into FOLDER").replaceAll(/ \/\S*\//g, " ")).toBe(
    "npm run --silent images -- --builder buildah --only auth,setup --tag dev --into " +
      "FOLDER\nload into nodes sonde-auth.tar\nload into nodes sonde-setup.tar\n",
  );
});

it("reports that loading images needs SONDE_LOAD_IMAGE", async () => {
  const running = promisify(execFile)("sh", [join(root, "deploy/skaffold/load-images")], {
    env: { PATH: process.env.PATH },
  });
  await expect(running).rejects.toThrow(/SONDE_LOAD_IMAGE: is the command that loads an archive into the nodes/);
});

it("installs the chart of this repository and forwards a port to its gateway", () => {
  const [release] = skaffold.deploy.helm.releases;
  expect(existsSync(join(root, release?.chartPath ?? "", "Chart.yaml"))).toBe(true);
  for (const file of release?.valuesFiles ?? []) expect(existsSync(join(root, file)), file).toBe(true);
  // Hooks in Helm 3 receive the tag of a build only through a value.
  expect(release?.setValueTemplates).toEqual({ "setup.image": '{{ default "" .IMAGE_FULLY_QUALIFIED_sonde_setup }}' });
  expect(skaffold.portForward).toEqual([
    expect.objectContaining({ resourceName: `${release?.name}-gateway`, localPort: 8080 }),
  ]);
});

async function packagesOf(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const { dependencies = {} } = JSON.parse(await text(`${folderOf(name)}/package.json`)) as {
    dependencies?: Record<string, string>;
  };
  for (const other of Object.keys(dependencies)) if (other.startsWith("@sonde/")) await packagesOf(other, found);
  return found;
}
