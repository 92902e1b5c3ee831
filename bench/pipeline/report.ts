import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";

/** What a table's figures depend on, in one line. */
export function machine(loadBefore: number): string {
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() || "unknown"})`,
    `Node ${process.versions.node}`,
    `${process.platform} ${process.arch}`,
    `load before the run ${loadBefore.toFixed(2)}`,
    new Date().toISOString().slice(0, 10),
  ].join(", ");
}

/** Prints a report and, with `--write`, puts it between its marks in bench/README.md. */
export async function tell(mark: string, report: string): Promise<void> {
  process.stdout.write(report);
  if (!process.argv.includes("--write")) return;
  const readme = new URL("../README.md", import.meta.url);
  const text = await readFile(readme, "utf8");
  const marks = new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- /${mark} -->)`);
  if (!marks.test(text)) throw new Error(`bench/README.md has no place for the figures of ${mark}`);
  await writeFile(
    readme,
    text.replace(marks, (_whole, open: string, close: string) => `${open}${report}${close}`),
  );
}
