import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { basename, join } from "node:path";
import { type Figure, table } from "./figures.ts";

/** Load before the benchmark; this module is loaded first. */
const loadBefore = loadavg()[0] ?? 0;

/** One line about the machine. The load after a run includes the benchmark. */
export function machine(): string {
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() || "unknown"})`,
    `Node ${process.versions.node}`,
    `${process.platform} ${process.arch}`,
    `load before the run ${loadBefore.toFixed(2)}, after it ${(loadavg()[0] ?? 0).toFixed(2)}`,
    new Date().toISOString().slice(0, 10),
  ].join(", ");
}

/**
 * Prints the figures as a table below the line about the machine. `about` describes the run; `after` follows the table.
 */
export function reportFigures(results: string, figures: readonly Figure[], about = "", after = ""): Promise<void> {
  const head = [machine(), about].filter(Boolean).join("; ");
  return writeReport(results, `${[head, table(figures), after].filter(Boolean).join("\n\n")}\n`);
}

/**
 * Prints a report. With `--write`, also replaces the text between its marks in `<results>.md`, a path relative to the
 * repository.
 */
export async function writeReport(results: string, report: string): Promise<void> {
  process.stdout.write(report);
  if (!process.argv.includes("--write")) return;
  const [mark, file] = [basename(results), join(import.meta.dirname, "..", `${results}.md`)];
  const marks = new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- /${mark} -->)`);
  const text = await readFile(file, "utf8");
  if (!marks.test(text)) throw new Error(`${results}.md has no marks to put figures between`);
  await writeFile(
    file,
    text.replace(marks, (_whole, open: string, close: string) => `${open}${report}${close}`),
  );
}
