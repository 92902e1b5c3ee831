/** What an attacker knows: the address, a user's token, and a target that they may monitor. */
export type Attacked = { url: string; token: string; target: string };
/** Answers what became of it, in words. */
export type Attack = (attacked: Attacked) => Promise<string>;
