import type { DocumentError } from "@sonde/import/config/read";

export type Terminal = {
  env: NodeJS.ProcessEnv;
  out: (text: string) => void;
  err: (text: string) => void;
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };
};

export const exitCodes = { done: 0, error: 1, differences: 2, refused: 3, invalid: 4 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command with explanations, each with its place if it has one. */
export class Ending extends Error {
  readonly code: ExitCode;
  readonly faults: DocumentError[];

  constructor(code: ExitCode, faults: string | DocumentError[]) {
    const all = typeof faults === "string" ? [{ message: faults, path: "", place: null }] : faults;
    super(all[0]?.message ?? "");
    this.code = code;
    this.faults = all;
  }
}

export const failed = (message: string) => new Ending(exitCodes.error, message);
