/** What an attacker knows: the address, a user's token, and a target they may monitor. */
export type Attacked = { url: string; token: string; target: string };
/** `passed` reports whether Sonde stopped an attack whose success a bystander would not notice. */
export type Outcome = { responses: string; passed: boolean };
export type Attack = (attacked: Attacked) => Promise<string | Outcome>;
