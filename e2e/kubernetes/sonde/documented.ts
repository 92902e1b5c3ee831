import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { command } from "../cluster/command.ts";
import type { Namespace } from "../cluster/namespace.ts";

const timeoutMs = 700_000;

/**
 * Runs the commands that the chart's README has below `<!-- name -->`, in this namespace and with the texts of `over` replaced,
 * from the folder of the clone. @throws Error with what the first that failed said
 */
export async function runDocumented(
  namespace: Namespace,
  chart: string,
  name: string,
  over: Readonly<Record<string, string>> = {},
): Promise<string> {
  const readme = await readFile(join(chart, "README.md"), "utf8");
  const [, lines] = new RegExp(`<!-- ${name} -->\n\`\`\`sh\n([^]*?)\`\`\``).exec(readme) ?? [];
  if (lines === undefined) throw new Error(`the chart's README has no commands named ${name}`);
  let script = lines.replaceAll(" -n sonde", ` -n ${namespace.name}`);
  for (const [text, instead] of Object.entries(over)) script = script.replaceAll(text, instead);
  return command("sh", ["-eux", "-c", script], { cwd: dirname(dirname(chart)), timeoutMs });
}
