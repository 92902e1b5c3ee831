/**
 * Measures a probe runner on loopback and prints each figure beside its goal: `npm run bench:probe`, with `--write`
 * into bench/README.md, with names (`bare`, `many`, `punctual`, `hanging`, `restart`, `https`) those alone.
 */
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { type Figure, table } from "./figures.ts";
import { bareRequests, httpsChecks, manyMonitors, punctuality, restart } from "./scenarios.ts";

const scenarios: Record<string, () => Promise<Figure[]>> = {
  bare: bareRequests,
  many: manyMonitors,
  punctual: () => punctuality(0),
  hanging: () => punctuality(0.2),
  restart,
  https: httpsChecks,
};

const chosen = process.argv.slice(2).filter((name) => name in scenarios);
const loadBefore = loadavg()[0] ?? 0;
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(scenarios)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  figures.push(...(await measure()));
}

const machine = [
  `${availableParallelism()} cores (${cpus()[0]?.model.trim() || "unknown"})`,
  `Node ${process.versions.node}`,
  `${process.platform} ${process.arch}`,
  `load before the run ${loadBefore.toFixed(2)}`,
  new Date().toISOString().slice(0, 10),
].join(", ");
const report = `${machine}\n\n${table(figures)}\n`;
process.stdout.write(`${report}`);

if (process.argv.includes("--write")) {
  const readme = new URL("../README.md", import.meta.url);
  const text = await readFile(readme, "utf8");
  const marks = /(<!-- probe -->\n)[^]*?(<!-- \/probe -->)/;
  if (!marks.test(text)) throw new Error("bench/README.md has no place for the figures of the probe");
  await writeFile(
    readme,
    text.replace(marks, (_whole, open: string, close: string) => `${open}${report}${close}`),
  );
}
process.exit(0);
