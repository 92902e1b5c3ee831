import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../steps.ts";
import { renderChart } from "./tools.ts";

/** Names each `helm install` of the READMEs that the chart refuses unchanged. */
export async function findRefusedCommands(helm: string): Promise<string> {
  const faults: string[] = [];
  for (const path of ["README.md", "charts/sonde/README.md"]) {
    const commands = installsIn(await readFile(join(root, path), "utf8"));
    if (commands.length === 0) faults.push(`${path} does not say how the chart is installed`);
    for (const options of commands) {
      const { code, stderr } = await renderChart(helm, options);
      if (code !== 0) faults.push(`${path}: helm install … ${options.join(" ")}\n${stderr.trim()}`);
    }
  }
  return faults.join("\n");
}

/** The options of each `helm install` of Sonde's chart in a text; those that `render` sets itself are left out. */
export const installsIn = (text: string): string[][] =>
  [...text.replaceAll(/\\\n */g, "").matchAll(/helm install sonde charts\/sonde((?: +[^\s`#]+)*)/g)].map(
    ([, options = ""]) =>
      options
        .replaceAll(/-n sonde|--create-namespace|--wait|--timeout \S+/g, "")
        .split(" ")
        .filter((word) => word !== ""),
  );
