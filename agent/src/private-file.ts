import { chmodSync, closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Makes the agent's folder, for its owner alone. */
export function makePrivateFolder(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (process.platform !== "win32") chmodSync(directory, 0o700);
}

/** Makes what a folder lists durable; systems that cannot open folders keep it so by themselves. */
export function syncFolder(directory: string): void {
  try {
    const folder = openSync(directory, "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch {
    // Windows.
  }
}

/** Replaces a file whole, readable by its owner alone: written beside it, then renamed over it. */
export function writePrivateFile(directory: string, name: string, text: string, options: { durable: boolean }): void {
  const temporary = join(directory, `.${name}.${process.pid}`);
  const file = openSync(temporary, "w", 0o600);
  try {
    if (process.platform !== "win32") fchmodSync(file, 0o600);
    writeSync(file, text);
    if (options.durable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, join(directory, name));
  if (options.durable) syncFolder(directory);
}
