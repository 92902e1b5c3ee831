import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";

/** The fields of a check with notes, or why it cannot be imported. */
export type ReadCheck = { check: Record<string, unknown>; notes?: TranslatableText[] } | { refused: TranslatableText };
/** The parts of the database that all monitors share. */
export type KumaContext = {
  /** Days before expiry at which Uptime Kuma warned of a certificate. */
  expiryDays: readonly number[];
};

/** A condition on what was answered, or why it cannot be. */
export type ReadAssertion = { assertion: Record<string, unknown> } | { refused: TranslatableText };
