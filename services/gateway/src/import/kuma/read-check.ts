import type { TranslatableText } from "@sonde/proto/http/import-reasons";

/** The fields of a check with what is to be said of them, or why it cannot be. */
export type ReadCheck = { check: Record<string, unknown>; notes?: TranslatableText[] } | { refused: TranslatableText };
/** What a whole database says beside the monitor's row. */
export type Around = {
  /** Days before expiry at which Uptime Kuma warned of a certificate. */
  expiryDays: readonly number[];
};

/** A condition on what was answered, or why it cannot be. */
export type ReadAssertion = { assertion: Record<string, unknown> } | { refused: TranslatableText };
