import { keyRefusedExitCode } from "@sonde/proto/http/agents/install";

/** What the program ends with; a service manager starts it again after `failure` alone. */
export const exitCodes = {
  success: 0,
  failure: 1,
  usage: 2,
  notConfigured: 3,
  refused: keyRefusedExitCode,
} as const;

/** An end that is explained to a person in one sentence, without a stack. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
