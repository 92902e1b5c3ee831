import { readFileSync, readdirSync } from "node:fs";

/** Root folders of the host's files; different in tests and in a container that watches its host. */
export interface Roots {
  proc: string;
  sys: string;
  /** Prefix of mount points and /etc; "" for the agent's own view. */
  root: string;
}

/** @param hostRoot the host's `/` in a container, such as `/host`, or "" */
export function rootsBelow(hostRoot: string): Roots {
  return { proc: `${hostRoot}/proc`, sys: `${hostRoot}/sys`, root: hostRoot };
}

/** `undefined` if the file cannot be read. For files of /proc and /sys. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** `undefined` if the content is not a number (`max`, empty, a driver error). */
export function readNumberFile(path: string): number | undefined {
  const text = readText(path)?.trim();
  if (text === undefined || !/^-?\d+$/.test(text)) return undefined;
  return Number(text);
}

export function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
