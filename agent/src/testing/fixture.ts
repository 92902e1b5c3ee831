import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { rmSync } from "node:fs";
import { type Roots, rootsBelow } from "../collectors/roots.ts";

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sonde-agent-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A fake host from files: `{"proc/stat": "cpu …"}`. */
export function hostOf(files: Record<string, string>): Roots & { write: (path: string, text: string) => void } {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { ...rootsBelow(folder), write };
}
