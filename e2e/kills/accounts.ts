import { randomInt } from "node:crypto";
import type { Call } from "./http.ts";
import { absent, createLedger } from "./ledger.ts";

const roles = ["user", "viewer"] as const;
const password = "a password of many words";

/** Writes to users, and sessions of another user. Names count up after `from`. */
export async function touchAccounts(call: Call, token: string, from = 0) {
  const [users, sessions] = [createLedger("user"), createLedger("session")];
  const ids = new Map<string, number>();
  const tokens = new Map<string, string>();
  let next = from + 1;
  const resident = { username: `resident-${from}`, password };
  const { status } = await call("POST", "/api/users", resident, token);
  if (status !== 201) throw new Error(`A user could not be created: ${status}`);

  const pick = (keys: string[]) => keys[randomInt(Math.max(1, keys.length))];
  const makeUser = () => {
    const username = `person-${next++}`;
    return users.write(username, "user", async () => {
      const answer = await call<{ user?: { id: number } }>("POST", "/api/users", { username, password }, token);
      if (answer.body.user !== undefined) ids.set(username, answer.body.user.id);
      return { ...answer, body: { ...answer.body } };
    });
  };
  const changeUser = async (username: string) => {
    const path = `/api/users/${ids.get(username)}`;
    if (randomInt(4) === 0) {
      if (await users.write(username, absent, () => call("DELETE", path, undefined, token))) ids.delete(username);
      return;
    }
    const role = roles.find((one) => one !== users.stateOf(username)) ?? "user";
    await users.write(username, role, () => call("PUT", path, { username, role }, token));
  };
  const logIn = () => {
    const key = String(next++);
    return sessions.write(key, "alive", async () => {
      const answer = await call<{ token?: string }>("POST", "/api/auth/login", resident);
      if (answer.body.token !== undefined) tokens.set(key, answer.body.token);
      return { ...answer, body: { ...answer.body } };
    });
  };
  const logOut = (key: string) =>
    sessions.write(key, "ended", () => call("POST", "/api/auth/logout", undefined, tokens.get(key)));

  return {
    users,
    sessions,
    tokens,
    async write() {
      const existing = users.settled().filter((username) => ids.has(username));
      const alive = sessions.settled().filter((key) => sessions.stateOf(key) === "alive");
      const [user, session] = [pick(existing), pick(alive)];
      const which = randomInt(8);
      if (which < 2) await logIn();
      else if (which === 2 && session !== undefined && alive.length > 5) await logOut(session);
      else if (which < 6 && user !== undefined && existing.length > 5) await changeUser(user);
      else await makeUser();
    },
  };
}
