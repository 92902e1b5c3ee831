/** Words that are loaded with their screens (app/i18n.ts), to keep the first page small. */
export * from "./access.ts";
export * from "./audit.ts";
export * from "./contacts.ts";
export * from "./drills.ts";
export * from "./importing.ts";
export * from "./locations.ts";
export * from "./noise.ts";
export * from "./on-call.ts";
export * from "./policies.ts";
export * from "./rehearsal.ts";
export * from "./reports.ts";
export * from "./service-levels.ts";
export * from "./sign-in.ts";
export * from "./what-changed.ts";
