import type { Client } from "@sonde/kit/bus/rpc";
import type { Database } from "@sonde/kit/postgres/database";
import { locationKeys } from "@sonde/kit/secret-keys";
import { mapSealed, type SecretBox, secretBox, secretContexts } from "@sonde/kit/secrets";
import type { probesContract } from "@sonde/proto/rpc/probes";
import type { StoredCheck } from "../monitors/monitor.ts";
import { sealByFirstKey } from "../monitors/stored-check.ts";
import { remoteLocations } from "./store.ts";

export type SealForLocation = (check: StoredCheck, location: string) => StoredCheck;
export type LocationSeals = { read(): Promise<SealForLocation> };

/**
 * Seals checks for the runners of a location, which only have the first key. Those of a location with remote runners
 * get the location's own key, so that a stolen runner cannot open the checks of other locations.
 */
export function createLocationSeals(db: Database, secrets: SecretBox, checkKeys: string): LocationSeals {
  const boxes = new Map<string, SecretBox>();
  const boxOf = (location: string) => {
    const box = boxes.get(location) ?? secretBox({ SONDE_KEY_CHECK: locationKeys(checkKeys, location) });
    boxes.set(location, box);
    return box;
  };
  const reseal = (text: string, location: string) => {
    try {
      return boxOf(location).seal(secrets.open(text, context), context);
    } catch {
      return text; // The installation's key was lost; its runners cannot open this secret either.
    }
  };
  return {
    async read() {
      const remote = await remoteLocations(db);
      return (check, location) => {
        const sealed = sealByFirstKey(secrets, check) ?? check;
        if (!remote.has(location)) return sealed;
        return mapSealed(sealed, (text) => ({ sealed: reseal(text, location) })) as StoredCheck;
      };
    },
  };
}

/** Seals each check for the location that runs it. */
export const sealedProbes = (probes: Client<typeof probesContract>, seals: LocationSeals): Probes => ({
  async runCheck(input, options = {}) {
    const seal = await seals.read();
    const check = seal(input.check as StoredCheck, options.scope ?? "");
    return probes.runCheck({ ...input, check }, options);
  },
});

type Probes = Pick<Client<typeof probesContract>, "runCheck">;

const context = secretContexts.check;
