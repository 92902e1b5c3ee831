import { type RemoteRunner, watchRunnerKeys } from "@sonde/domain/runner-keys";
import { type AuthRequest, calloutIssuer, readAuthRequest } from "@sonde/kit/bus/callout";
import type { Bus } from "@sonde/kit/bus/connect";
import type { Database } from "@sonde/kit/postgres/database";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { startLoop } from "@sonde/kit/time/loop";
import type { Message } from "@sonde/proto/http/messages";
import { permissionsOf, runnerUser } from "@sonde/proto/permissions";
import { subjects } from "@sonde/proto/subjects";
import type { Config } from "../config.ts";
import type { Locations } from "../locations/locations.ts";
import { activeRunners, findRunner, noteSeen, openTokens, type RunnerRow } from "./store.ts";

type Options = {
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Log;
  locations: Pick<Locations, "figures">;
  config: Pick<Config, "SONDE_KEY_CALLOUT" | "SONDE_KEY_CHECK">;
};

type Remote = { runners: readonly RunnerRow[]; tokens: ReadonlyMap<string, number> };

const seenEveryMs = 30_000;

/** Decides which remote runners may connect to the bus, and notes when they were last connected. */
export function startRunners({ db, bus, clock, log, locations, config }: Options) {
  const { SONDE_KEY_CALLOUT: calloutKey, SONDE_KEY_CHECK: checkKeys } = config;
  const find = async (hash: string): Promise<RemoteRunner | undefined> => {
    const row = await findRunner(db, hash);
    return row && { runnerId: row.id, location: row.location };
  };
  const keys = watchRunnerKeys(bus, { find });
  const callout = calloutKey === undefined ? null : answerCallout(bus, calloutKey, keys.find);
  let known: Remote = { runners: [], tokens: new Map() };
  const noteConnected = async () => {
    const runners = await activeRunners(db);
    const names = new Set(runners.map(({ location }) => location));
    const connected = [...names].flatMap((name) => locations.figures(name).map(({ facts }) => facts["runner"] ?? 0));
    await noteSeen(db, connected, clock.now());
  };
  const noting = startLoop({ work: "noting connected runners", log, everyMs: seenEveryMs, run: noteConnected });
  return {
    checkKeys,
    /** Why there can be no remote runners; `null` if there can. */
    unsupported(): Message | null {
      const { version = "", auth_required: hasUsers = false } = bus.nc.info ?? {};
      const [major = 0, minor = 0] = version.split(".").map(Number);
      if (major < 2 || (major === 2 && minor < 10)) return "Remote probe runners need nats-server 2.10 or newer";
      if (!hasUsers) return "Remote probe runners need a NATS server that requires passwords";
      return callout === null ? "Remote probe runners need the key SONDE_KEY_CALLOUT" : null;
    },
    /** The last known state while the database is unavailable. */
    async read(): Promise<Remote> {
      try {
        const [runners, tokens] = await Promise.all([activeRunners(db), openTokens(db, clock.now())]);
        known = { runners, tokens };
      } catch (err) {
        log.debug({ err }, "remote runners cannot be read");
      }
      return known;
    },
    async stop() {
      callout?.unsubscribe();
      await Promise.all([noting.stop(), keys.stop()]);
    },
  };
}

export type RemoteRunners = Omit<ReturnType<typeof startRunners>, "stop">;

/** Replicas share the requests. The user's name is not checked: the key decides. */
function answerCallout(bus: Bus, key: string, find: (key: string) => Promise<RemoteRunner | undefined>) {
  const issuer = calloutIssuer(key);
  const answer = async (request: AuthRequest): Promise<string> => {
    const runner = await find(request.password);
    return runner === undefined
      ? issuer.refuse(request)
      : issuer.accept(request, permissionsOf(runnerUser(runner.location)));
  };
  return bus.nc.subscribe(subjects.authCallout, {
    queue: "monitors",
    callback: (error, message) => {
      if (error !== null) return;
      Promise.resolve(message.string())
        .then(readAuthRequest)
        .then(answer)
        .then((token) => void message.respond(token))
        .catch((err: unknown) => bus.log.debug({ err }, "a connection to the bus was not decided"));
    },
  });
}
