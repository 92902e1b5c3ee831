import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import type { ConfigEntry } from "@sonde/proto/http/config/document";
import type { Failure } from "@sonde/proto/http/envelope";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Owned, OwnedMonitors } from "./plan.ts";

export class SondeRefusal extends Error {
  readonly status: number;
  readonly faults: readonly { path: string; message: string }[];

  constructor(status: number, { message, errors = [] }: Pick<Failure, "message" | "errors">) {
    const [first] = errors;
    super(
      `Sonde responded with ${status}: ${message}${first === undefined ? "" : ` (${first.path}: ${first.message})`}`,
    );
    this.status = status;
    this.faults = errors;
  }
}

export type SondeClient = {
  /** The monitors that the source manages, by key. */
  readOwned(): Promise<OwnedMonitors>;
  /** @throws SondeRefusal */
  apply(monitors: OwnedMonitors, allowDelete: number): Promise<ConfigPlan>;
};

const timeoutMs = 60_000;
const pageSize = 200;

/** @param key returns the API key for each request */
export function connectSonde({ url, key, source }: { url: string; key: () => string; source: string }): SondeClient {
  const ask = async <Answer>(method: "GET" | "POST", path: string, body?: object): Promise<Answer> => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { Authorization: `Bearer ${key()}`, "Accept-Language": "en-US", "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: "error", // The key must not be sent to another address.
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Answer;
    throw new SondeRefusal(response.status, readFailure(text));
  };
  return {
    async readOwned() {
      const owned = new Map<string, Owned>();
      for (let page = 1, left = true; left; page++) {
        const path = `/api/monitors?page=${page}&pageSize=${pageSize}`;
        const { monitors, total } = await ask<{ monitors: Monitor[]; total: number }>("GET", path);
        for (const { managed, ...fields } of monitors) {
          if (managed?.source !== source) continue;
          owned.set(managed.key, { place: managed.place ?? "", entry: ownFields(fields, managed.fields) });
        }
        left = page * pageSize < total;
      }
      return owned;
    },
    async apply(monitors, allowDelete) {
      const all = [...monitors];
      const { plan } = await ask<{ plan: ConfigPlan }>("POST", "/api/apply", {
        source,
        allowDelete,
        config: { monitors: Object.fromEntries(all.map(([key, { entry }]) => [key, entry])) },
        places: Object.fromEntries(all.map(([key, { place }]) => [`monitors.${key}`, place])),
      });
      return plan;
    },
  };
}

/** The managed fields of a monitor, in document form. */
const ownFields = ({ type, ...monitor }: Omit<Monitor, "managed">, names: readonly string[]): ConfigEntry => ({
  ...(type !== "http" && { type }),
  ...Object.fromEntries(Object.entries(monitor).filter(([name]) => names.includes(name))),
});

/** A proxy may send another format. */
function readFailure(text: string): Pick<Failure, "message" | "errors"> {
  try {
    return JSON.parse(text) as Failure;
  } catch {
    return { message: text.slice(0, 200) };
  }
}
