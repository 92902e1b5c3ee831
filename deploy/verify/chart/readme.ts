import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../steps.ts";
import { renderChart } from "./tools.ts";

export async function findFailingCommands(helm: string): Promise<string> {
  const errors: string[] = [];
  for (const path of ["README.md", "charts/sonde/README.md"]) {
    const commands = installsIn(await readFile(join(root, path), "utf8"));
    if (commands.length === 0) errors.push(`${path} has no helm install command`);
    for (const options of commands) {
      const { code, stderr } = await renderChart(helm, options);
      if (code !== 0) errors.push(`${path}: helm install … ${options.join(" ")}\n${stderr.trim()}`);
    }
  }
  return errors.join("\n");
}

/** Returns the options of each `helm install` in a text, without those that `renderChart` sets. */
export const installsIn = (text: string): string[][] =>
  [...text.replaceAll(/\\\n */g, "").matchAll(/helm install sonde charts\/sonde((?: +[^\s`#]+)*)/g)].map(
    ([, options = ""]) =>
      options
        .replaceAll(/-n sonde|--create-namespace|--wait|--timeout \S+/g, "")
        .split(" ")
        .filter((word) => word !== ""),
  );
