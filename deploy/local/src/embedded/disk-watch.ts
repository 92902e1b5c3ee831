import { statfs } from "node:fs/promises";
import type { Terminal } from "../terminal.ts";
import { repeat } from "../supervisor/seconds.ts";

const mib = 1024 * 1024;
const fullMib = 8;
const everySeconds = 5;

/** Reports once that the disk of a folder is full and once that it has space again, then calls `onSpace`. */
export function watchDisk(
  folder: string,
  { info, warn }: Pick<Terminal, "info" | "warn">,
  onSpace: () => void,
  readFreeMib = freeMibOf,
): { check: () => Promise<void>; stop: () => void } {
  let isFull = false;
  const check = async () => {
    const freeMib = await readFreeMib(folder);
    // Hysteresis prevents repeated reports near the threshold.
    if (isFull ? freeMib < fullMib * 2 : freeMib >= fullMib) return;
    isFull = !isFull;
    const disk = `the disk of ${folder} (${freeMib} MiB are free)`;
    if (isFull) return warn(`No space left on ${disk}. Nothing can be stored until space is freed.`);
    info(`Space is available again on ${disk}.`);
    onSpace();
  };
  return { check, stop: repeat(everySeconds, () => check().catch(() => {})) };
}

async function freeMibOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.floor((bavail * bsize) / mib);
}
