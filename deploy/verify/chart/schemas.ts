import { join } from "node:path";
import { examples, type Resource } from "./golden.ts";
import { runTool } from "./tools.ts";

export const schemaFolder = join(import.meta.dirname, "../schemas");

/** Returns the file name that kubeconform expects, such as `deployment-apps-v1.json`. */
export function schemaName({ apiVersion, kind }: Pick<Resource, "apiVersion" | "kind">): string {
  const [version = "", group] = apiVersion.split("/").toReversed();
  return [kind.toLowerCase(), ...(group === undefined ? [] : [group.split(".")[0]]), version].join("-") + ".json";
}

export async function findInvalidResources(kubeconform: string): Promise<string> {
  const documents = [...(await examples()).values()].flat().map((resource) => JSON.stringify(resource));
  const location = join(schemaFolder, "{{ .ResourceKind }}{{ .KindSuffix }}.json");
  const { code, stdout, stderr } = await runTool(
    kubeconform,
    ["-strict", "-schema-location", location, "-"],
    documents.join("\n---\n"),
  );
  return code === 0 ? "" : (stdout + stderr).trim() || `kubeconform ended with ${code}`;
}
