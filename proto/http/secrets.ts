/** What a secret answers as; sent back, it keeps the stored value. */
export const secretMask = "••••••";
