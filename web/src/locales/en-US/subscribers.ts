export const subscribers = {} as const;
