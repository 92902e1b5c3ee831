/** Words that are loaded with their screens (app/i18n.ts), to keep the first page small. */
export * from "./audit.ts";
export * from "./contacts.ts";
export * from "./drills.ts";
export * from "./importing.ts";
export * from "./on-call.ts";
export * from "./policies.ts";
