export const announcements = {} as const;
