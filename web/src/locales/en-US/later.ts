/** Words that are loaded with their screens (app/i18n.ts), to keep the first page small. */
export * from "./policies.ts";
