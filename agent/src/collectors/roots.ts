import { readFileSync, readdirSync } from "node:fs";

/** Where the host's files are seen: other folders where a container watches its host, and in tests. */
export interface Roots {
  proc: string;
  sys: string;
  /** Put before mount points and /etc; "" is the agent's own view. */
  root: string;
}

/** @param hostRoot the host's `/` as a container sees it, such as `/host`; "" for none */
export function rootsBelow(hostRoot: string): Roots {
  return { proc: `${hostRoot}/proc`, sys: `${hostRoot}/sys`, root: hostRoot };
}

/** The text of a file of /proc or /sys; undefined if there is none or it may not be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

/** A file that holds one number; undefined where it holds none (`max`, nothing, an error of the driver). */
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
