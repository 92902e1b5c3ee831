/** What an attacker knows: the address, a user's token, and a target that they may monitor. */
export type Attacked = { url: string; token: string; target: string };
/** What became of it, in words; `held`: whether its own goal was refused, where a bystander cannot notice that. */
export type Outcome = { answers: string; held: boolean };
export type Attack = (attacked: Attacked) => Promise<string | Outcome>;
