import { stat, statfs } from "node:fs/promises";
import { repeat } from "../supervisor/seconds.ts";

/** Who keeps something in which folder. */
export type DiskUser = {
  name: string;
  folder: string;
  /** Called when a disk that was full has space again. */
  onSpace?: () => void;
};

export type DiskWatchOptions = {
  users: readonly DiskUser[];
  say: (line: string) => void;
  warn: (line: string) => void;
  /** Free bytes of the disk of a folder, and an id of that disk. */
  look?: (folder: string) => Promise<{ disk: string; freeBytes: number }>;
};

type Level = "well" | "nearly" | "full";

const mib = 1024 * 1024;
const fullBytes = 8 * mib;
const nearlyBytes = 100 * mib;
const everySeconds = 5;

/** Warns once that a disk is nearly full or full, with its users, and when there is space again. */
export function watchDisks(options: DiskWatchOptions): { check: () => Promise<void>; stop: () => void } {
  const { users, say, warn, look = lookAt } = options;
  const levels = new Map<string, Level>();
  const check = async () => {
    const found = await Promise.all(
      users.map(async (user) => ({
        user,
        ...(await look(user.folder).catch(() => ({ disk: "", freeBytes: 0 }))),
      })),
    );
    for (const disk of new Set(found.map((each) => each.disk))) {
      const own = found.filter((each) => each.disk === disk);
      const [{ user, freeBytes } = { user: { name: "", folder: "" }, freeBytes: 0 }] = own;
      if (disk === "") continue; // Its folder is not made yet.
      const before = levels.get(disk) ?? "well";
      const level = levelOf(freeBytes, before);
      levels.set(disk, level);
      if (level === before) continue;
      const free = `${Math.floor(freeBytes / mib)} MiB are free`;
      const names = listOf(own.map((each) => each.user.name));
      if (level === "full") {
        warn(
          `The disk of ${user.folder} is full (${free}). Nothing can be kept there until there is space again: ${names}.`,
        );
      } else if (before === "full") {
        say(`There is space again on the disk of ${user.folder} (${free}): ${names}.`);
        for (const each of own) each.user.onSpace?.();
      } else if (level === "nearly") {
        warn(`The disk of ${user.folder} is nearly full (${free}): ${names}.`);
      } else {
        say(`The disk of ${user.folder} has space again (${free}).`);
      }
    }
  };
  return { check, stop: repeat(everySeconds, check) };
}

/** A level is left only well beyond its bound, so that a disk at the bound is not reported repeatedly. */
function levelOf(freeBytes: number, before: Level): Level {
  const [full, nearly] = [fullBytes * (before === "full" ? 2 : 1), nearlyBytes * (before === "well" ? 1 : 1.25)];
  return freeBytes < full ? "full" : freeBytes < nearly ? "nearly" : "well";
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

async function lookAt(folder: string): Promise<{ disk: string; freeBytes: number }> {
  const [{ dev }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
  return { disk: String(dev), freeBytes: bavail * bsize };
}
