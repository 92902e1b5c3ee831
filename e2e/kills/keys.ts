import { randomInt } from "node:crypto";
import type { Call } from "./http.ts";
import { absent, createLedger } from "./ledger.ts";

type KeyBody = { key?: { id: number }; secret?: string };

/** How long a valid key may fail, including the restart of the killed service. */
const patienceMs = 30_000;
const [overlapMinutes, max] = [60, 10];

/** Creates, rotates, revokes and uses API keys. The ledger has one entry per secret. */
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
  /** Creates or rotates a key. Only the response contains the secret. */
  const create = async (path: string, sent: unknown) => {
    const answer = await call<KeyBody>("POST", path, sent, token);
    const { secret, key } = answer.body;
    if (secret === undefined || key === undefined) return;
    ids.set(secret, key.id);
    await ledger.write(secret, "taken", async () => ({ ...answer, body: {} }));
  };
  const rotate = async (id: number) => {
    // A second rotation would end the first secret, even if its response is lost.
    rotated.add(id);
    await create(`/api/keys/${id}/rotate`, { overlapMinutes });
  };
  /** Revokes a key with all its secrets, including the one before a rotation. */
  const revoke = async (id: number) => {
    const texts = [...ids].filter(([, of]) => of === id).map(([text]) => text);
    const answer = call("DELETE", `/api/keys/${id}`, undefined, token);
    const done = await Promise.all(texts.map((text) => ledger.write(text, absent, () => answer)));
    if (done.every(Boolean)) revoked.push(...texts);
  };
  const useRevoked = async (secret: string) => {
    if ((await statusWith(secret)) === 200) note(secret, "was revoked, but is accepted");
  };
  const useValid = async (secret: string) => {
    for (const startedMs = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 500))) {
      const status = await statusWith(secret);
      if (status === 200) return;
      if (status === 401) return note(secret, "is valid, but is rejected");
      if (Date.now() - startedMs > patienceMs)
        return note(secret, `is valid, but returned ${status} for ${patienceMs / 1000} s`);
    }
  };

  return {
    ledger,
    async write() {
      const valid = ledger.settled().filter((secret) => ledger.stateOf(secret) === "taken");
      const [secret, over, which] = [pick(valid), pick(revoked), randomInt(10)];
      const id = secret === undefined ? undefined : ids.get(secret);
      if (secret === undefined || id === undefined || valid.length < 4 || (which === 0 && valid.length < max)) {
        await create("/api/keys", { name: `key ${(names += 1)}`, scopes: ["read"] });
      } else if (which === 1) await revoke(id);
      else if (which === 2 && !rotated.has(id)) await rotate(id);
      else if (which < 6 && over !== undefined) await useRevoked(over);
      else await useValid(secret);
    },
  };
}
