import { AppError } from "@sonde/kit/errors";
import { createUserLimits } from "./user-limits.ts";

/** Imports, each of which holds a large body and asks much of other services. */
export type Imports = {
  /** @throws AppError `too_many` with the seconds to wait; what the request throws */
  within<Answer>(userId: number, request: () => Promise<Answer>): Promise<Answer>;
};

const aMinute = 20;
const atOnceInAll = 3;
/** The limits in words, for the API's description. */
export const importLimits = `At most ${aMinute} a minute and one at once for each user, ${atOnceInAll} at once in all, else 429.`;

/** Limits of imports, by user and for this gateway. */
export function createImports(): Imports {
  const message = "At most {max} imports at once, please wait for the others to end";
  const users = createUserLimits({ count: 1, message }, { import: { count: aMinute, seconds: 60 } });
  let underway = 0;
  return {
    within: (userId, request) =>
      users.within("import", userId, async () => {
        if (underway >= atOnceInAll) {
          throw new AppError("too_many", message, { params: { max: atOnceInAll }, retryAfterSeconds: 5 });
        }
        underway += 1;
        try {
          await users.take("import", userId);
          return await request();
        } finally {
          underway -= 1;
        }
      }),
  };
}
