/** Replaces secrets in responses; sending it back keeps the stored value. */
export const secretMask = "••••••";
