import { paths } from "../paths.ts";

// Not in the table of paths: that one is part of the first page, whose bytes are counted.

/** All announcements. */
export const announcementsPath = `${paths.statusConfig}?tab=incidents`;
/** One of them. */
export const announcementPath = (id: number) => `${announcementsPath}&announcement=${id}`;
/** The form that makes one: filled from an automatic incident, or empty. */
export const announcePath = (incidentId: string | null) => `${announcementsPath}&announce=${incidentId ?? "new"}`;
