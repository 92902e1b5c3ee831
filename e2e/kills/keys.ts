import { randomInt } from "node:crypto";
import type { Call } from "./http.ts";
import { absent, createLedger } from "./ledger.ts";

type KeyBody = { key?: { id: number }; secret?: string };

/** What a valid key waits for at most until it is taken again, the restart of what was killed included. */
const patienceMs = 30_000;
const [overlapMinutes, max] = [60, 10];

/** API keys that are made, rotated once, revoked, and used all the time; each text of a key is an entry of the ledger. */
export function touchKeys(call: Call, token: string) {
  const ledger = createLedger("key");
  const ids = new Map<string, number>();
  const rotated = new Set<number>();
  const revoked: string[] = [];
  let names = 0;

  const pick = (secrets: readonly string[]) => secrets[randomInt(Math.max(1, secrets.length))];
  const statusWith = async (secret: string) => (await call("GET", "/api/monitors/tags", undefined, secret)).status;
  const note = (secret: string, what: string) =>
    void ledger.refusals.push(`${new Date().toISOString()} key ${ids.get(secret)} ${what}`);
  /** A text is known by the answer alone. */
  const learn = async (path: string, sent: unknown) => {
    const answer = await call<KeyBody>("POST", path, sent, token);
    const { secret, key } = answer.body;
    if (secret === undefined || key === undefined) return;
    ids.set(secret, key.id);
    await ledger.write(secret, "taken", async () => ({ ...answer, body: {} }));
  };
  const rotate = async (id: number) => {
    // A second one would end the first text, also where its answer is lost.
    rotated.add(id);
    await learn(`/api/keys/${id}/rotate`, { overlapMinutes });
  };
  /** The text that a rotation left ends with its key. */
  const revoke = async (id: number) => {
    const texts = [...ids].filter(([, of]) => of === id).map(([text]) => text);
    const answer = call("DELETE", `/api/keys/${id}`, undefined, token);
    const done = await Promise.all(texts.map((text) => ledger.write(text, absent, () => answer)));
    if (done.every(Boolean)) revoked.push(...texts);
  };
  const useRevoked = async (secret: string) => {
    if ((await statusWith(secret)) === 200) note(secret, "was revoked, and is taken");
  };
  const useValid = async (secret: string) => {
    for (const startedMs = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 500))) {
      const status = await statusWith(secret);
      if (status === 200) return;
      if (status === 401) return note(secret, "is valid, and is refused");
      if (Date.now() - startedMs > patienceMs) return note(secret, `is valid, and answered ${status} for long`);
    }
  };

  return {
    ledger,
    async write() {
      const valid = ledger.settled().filter((secret) => ledger.stateOf(secret) === "taken");
      const [secret, over, which] = [pick(valid), pick(revoked), randomInt(10)];
      const id = secret === undefined ? undefined : ids.get(secret);
      if (secret === undefined || id === undefined || valid.length < 4 || (which === 0 && valid.length < max)) {
        await learn("/api/keys", { name: `key ${(names += 1)}`, scopes: ["read"] });
      } else if (which === 1) await revoke(id);
      else if (which === 2 && !rotated.has(id)) await rotate(id);
      else if (which < 6 && over !== undefined) await useRevoked(over);
      else await useValid(secret);
    },
  };
}
