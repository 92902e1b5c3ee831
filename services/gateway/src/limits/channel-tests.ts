import { createUserLimits, type UserLimits } from "./user-limits.ts";

/** Tests of notification channels, each of which sends a message to a provider. */
export type ChannelTests = UserLimits<"test">;

const atOnce = 3;
/** There are fourteen types: whoever tries each of them in turn is held up by none. */
const aMinute = 20;

/** The limits in words, for the API's description. */
export const channelTestLimits = `At most ${aMinute} a minute and ${atOnce} at once for each user, else 429.`;

/** Limits of tests, by user. */
export const createChannelTests = (): ChannelTests =>
  createUserLimits(
    { count: atOnce, message: "At most {max} tests at once, please wait for the others to end" },
    { test: { count: aMinute, seconds: 60 } },
  );
