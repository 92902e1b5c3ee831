import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { command } from "../cluster/command.ts";
import type { Namespace } from "../cluster/namespace.ts";

const timeoutMs = 700_000;

/**
 * Runs the commands below `<!-- name -->` in the chart's README from the clone's folder, in this namespace. `over`
 * replaces parts of the commands. @throws Error with the output of the first that failed
 */
export async function runDocumented(
  namespace: Namespace,
  chart: string,
  name: string,
  over: Readonly<Record<string, string>> = {},
): Promise<string> {
  const readme = await readFile(join(chart, "README.md"), "utf8");
  const [, lines] = new RegExp(`<!-- ${name} -->\n\`\`\`sh\n([^]*?)\`\`\``).exec(readme) ?? [];
  if (lines === undefined) throw new Error(`the chart's README has no commands under ${name}`);
  let script = lines.replaceAll(" -n sonde", ` -n ${namespace.name}`);
  for (const [text, instead] of Object.entries(over)) script = script.replaceAll(text, instead);
  return command("sh", ["-eux", "-c", script], { cwd: dirname(dirname(chart)), timeoutMs });
}
