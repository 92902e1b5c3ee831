import { audit } from "../audit.ts";

/** What the audit log says, and the changes on the pages of what they changed: most visits open neither. */
export const auditWords = { audit } as const;
