import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Document, isPair, isScalar, parseAllDocuments, visit } from "yaml";
import { chart, findProgram, renderChart } from "./tools.ts";

/** A resource as Kubernetes takes it. */
export type Resource = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
};

const examplesFolder = join(chart, "examples");
const goldenFolder = join(chart, "golden");
/** Examples with a render in the repository, where a review sees what changes in a cluster. */
const goldenNames = ["external", "production", "small"];
/** Longer texts are files of the chart, which are looked at where they are. */
const longestText = 1000;

/** The example values files, by their names without the ending. */
export async function exampleNames(): Promise<string[]> {
  const names = await readdir(examplesFolder);
  return names
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => basename(name, ".yaml"))
    .toSorted();
}

/** The output of `helm template` for an example. @throws with helm's message */
export async function renderExample(helm: string, name: string): Promise<string> {
  const { code, stdout, stderr } = await renderChart(helm, ["-f", join(examplesFolder, `${name}.yaml`)]);
  if (code !== 0) throw new Error(`examples/${name}.yaml: ${stderr.trim()}`);
  return stdout;
}

let rendered: Promise<Map<string, Resource[]>> | undefined;

/** The resources of every example, by its name. Without helm only of those with a golden render. */
export const examples = (): Promise<Map<string, Resource[]>> => (rendered ??= readExamples());

async function readExamples(): Promise<Map<string, Resource[]>> {
  const helm = await findProgram("helm");
  const names = helm === null ? goldenNames : await exampleNames();
  const read = (name: string) =>
    helm === null ? readFile(join(goldenFolder, `${name}.yaml`), "utf8") : renderExample(helm, name);
  return new Map(await Promise.all(names.map(async (name) => [name, resourcesIn(await read(name))] as const)));
}

/** The resources of a render; empty documents are left out. @throws where it is not YAML */
export const resourcesIn = (text: string): Resource[] => documentsIn(text).map(({ resource }) => resource);

/**
 * A render as it is kept: each resource in one spelling, so that a diff shows what changed in the cluster and not how a
 * template is written. Long texts of ConfigMaps, and sums over them, are left out.
 */
export function tidy(text: string): string {
  const documents = documentsIn(text).map(({ resource, source }) => {
    for (const [key, value] of Object.entries(resource.data ?? {})) {
      if (value.length > longestText) resource.data![key] = "(a file of the chart)";
    }
    return `# ${source}\n${write(withoutSums(resource))}`;
  });
  return documents.join("---\n");
}

/** Short lists and maps, and all labels, are on one line each. */
function write(resource: unknown): string {
  const document = new Document(resource);
  visit(document, {
    Collection(_key, node, path) {
      const above = path.at(-1);
      const isLabels = isPair(above) && isScalar(above.key) && above.key.value === "labels";
      if (isLabels || JSON.stringify(node.toJSON()).length <= 110) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Names each golden render that differs from the present render of its example. @throws with helm's message */
export async function findStaleGoldens(helm: string): Promise<string> {
  const kept = (await readdir(goldenFolder)).map((name) => basename(name, ".yaml"));
  const faults = kept
    .filter((name) => !goldenNames.includes(name))
    .map((name) => `golden/${name}.yaml is not in golden.ts`);
  for (const name of goldenNames) {
    const golden = await readFile(join(goldenFolder, `${name}.yaml`), "utf8").catch(() => "");
    const fresh = tidy(await renderExample(helm, name));
    if (golden === fresh) continue;
    faults.push(`golden/${name}.yaml is not current (npm run generate:chart): ${firstDifference(golden, fresh)}`);
  }
  return faults.join("\n");
}

/** Writes all golden renders. @throws with helm's message */
export async function writeGoldens(helm: string): Promise<void> {
  await mkdir(goldenFolder, { recursive: true });
  for (const name of goldenNames) {
    await writeFile(join(goldenFolder, `${name}.yaml`), tidy(await renderExample(helm, name)));
  }
}

function documentsIn(text: string): { resource: Resource; source: string }[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    const resource = document.toJS() as Resource | null;
    // Helm writes where each document is from above it.
    const source = /Source: sonde\/(.*)/.exec(document.toString())?.[1] ?? "rendered";
    return resource === null ? [] : [{ resource, source }];
  });
}

/** Sums change with each file that they are made over, and the one in the name of the setup's Job with each version. */
function withoutSums(resource: Resource): unknown {
  return JSON.parse(JSON.stringify(resource), (key, value: unknown) => {
    if (key.startsWith("checksum/")) return "(of the configuration)";
    return key === "name" && typeof value === "string" ? value.replace(/-setup-[\da-f]{8}$/, "-setup-00000000") : value;
  });
}

function firstDifference(before: string, after: string): string {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const line = fresh.findIndex((text, index) => text !== old[index]);
  return line < 0 ? "lines are gone" : `line ${line + 1} would be "${fresh[line]?.trim()}"`;
}
