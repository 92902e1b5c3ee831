import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Document, isPair, isScalar, parseAllDocuments, visit } from "yaml";
import { chart, findProgram, renderChart } from "./tools.ts";

export type Resource = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
};

const examplesFolder = join(chart, "examples");
const goldenFolder = join(chart, "golden");
/** Examples with a committed render, so that reviews show what changes in a cluster. */
const goldenNames = ["external", "production", "small"];
/** Longer texts are files of the chart, which are reviewed separately. */
const maxTextLength = 1000;

export async function exampleNames(): Promise<string[]> {
  const names = await readdir(examplesFolder);
  return names
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => basename(name, ".yaml"))
    .toSorted();
}

/** @throws Error with helm's message */
export async function renderExample(helm: string, name: string): Promise<string> {
  const { code, stdout, stderr } = await renderChart(helm, ["-f", join(examplesFolder, `${name}.yaml`)]);
  if (code !== 0) throw new Error(`examples/${name}.yaml: ${stderr.trim()}`);
  return stdout;
}

let rendered: Promise<Map<string, Resource[]>> | undefined;

/** Returns resources by example name. Without helm, only of examples with a golden render. */
export const examples = (): Promise<Map<string, Resource[]>> => (rendered ??= readExamples());

async function readExamples(): Promise<Map<string, Resource[]>> {
  const helm = await findProgram("helm");
  const names = helm === null ? goldenNames : await exampleNames();
  const read = (name: string) =>
    helm === null ? readFile(join(goldenFolder, `${name}.yaml`), "utf8") : renderExample(helm, name);
  return new Map(await Promise.all(names.map(async (name) => [name, resourcesIn(await read(name))] as const)));
}

/** Skips empty documents. @throws Error for invalid YAML */
export const resourcesIn = (text: string): Resource[] => documentsIn(text).map(({ resource }) => resource);

/**
 * Normalises a render, so that diffs show changes in the cluster and not in template formatting. Omits long texts in
 * ConfigMaps, and checksums.
 */
export function tidy(text: string): string {
  const documents = documentsIn(text).map(({ resource, source }) => {
    for (const [key, value] of Object.entries(resource.data ?? {})) {
      if (value.length > maxTextLength) resource.data![key] = "(a file of the chart)";
    }
    return `# ${source}\n${write(withoutSums(resource))}`;
  });
  return documents.join("---\n");
}

/** Puts short lists and maps and all labels on one line each. */
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

/** Reports golden renders that are outdated. @throws Error with helm's message */
export async function findStaleGoldens(helm: string): Promise<string> {
  const committed = (await readdir(goldenFolder)).map((name) => basename(name, ".yaml"));
  const errors = committed
    .filter((name) => !goldenNames.includes(name))
    .map((name) => `golden/${name}.yaml is not in golden.ts`);
  for (const name of goldenNames) {
    const golden = await readFile(join(goldenFolder, `${name}.yaml`), "utf8").catch(() => "");
    const fresh = tidy(await renderExample(helm, name));
    if (golden === fresh) continue;
    errors.push(`golden/${name}.yaml is outdated (npm run generate:chart): ${firstDifference(golden, fresh)}`);
  }
  return errors.join("\n");
}

/** @throws Error with helm's message */
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
    // Helm writes each document's template into a comment.
    const source = /Source: sonde\/(.*)/.exec(document.toString())?.[1] ?? "rendered";
    return resource === null ? [] : [{ resource, source }];
  });
}

/** Removes checksums of files, and the one in the setup Job's name, which changes with each version. */
function withoutSums(resource: Resource): unknown {
  return JSON.parse(JSON.stringify(resource), (key, value: unknown) => {
    if (key.startsWith("checksum/")) return "(of the configuration)";
    return key === "name" && typeof value === "string" ? value.replace(/-setup-[\da-f]{8}$/, "-setup-00000000") : value;
  });
}

function firstDifference(before: string, after: string): string {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const line = fresh.findIndex((text, index) => text !== old[index]);
  return line < 0 ? "lines were removed" : `line ${line + 1} would be "${fresh[line]?.trim()}"`;
}
