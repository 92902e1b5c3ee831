import type { Database } from "@sonde/kit/postgres/database";
import { oneOf } from "@sonde/kit/one-of";
import { channelTypeNames, type ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { type AlertPolicy, policyOf } from "../settings/policy.ts";
import { loadSettings } from "../settings/store.ts";
import { type AlertFacts, alertFactsOf, dependentsOf } from "./alert.ts";
import type { Audience, DecisionInput } from "./decide.ts";
import type { DecisionContext } from "./deciding.ts";
import { loadNotifiedMoments } from "./decision-store.ts";
import { loadGraph } from "./dependencies/dependency-store.ts";
import { type NotifiedIncident, targetKey } from "./incident.ts";
import type { MomentName } from "./moment.ts";

/** A channel as the recipient of an alert. */
type Recipient = Audience & { name: string; type: ChannelTypeName };

/** All that decisions about some incidents need to know. */
export type IncidentsView = {
  channels: ReadonlyMap<number, Recipient>;
  log: DecisionContext["log"];
  /** When this was read, epoch ms. */
  nowMs: number;
  policyOf(incident: NotifiedIncident): AlertPolicy;
  /** The parameters of a decision about an incident. */
  question(incident: NotifiedIncident): DecisionInput;
  parentOf(incident: NotifiedIncident): string | null;
  /** The facts of its alert at present. */
  factsOf(incident: NotifiedIncident, name: MomentName, reminder?: number): AlertFacts;
};

/** Reads the present state, within a transaction that decides. */
export async function lookAt(
  trx: Database,
  { clock, log, readerOf, maintenance }: Pick<DecisionContext, "clock" | "log" | "readerOf" | "maintenance">,
  incidents: readonly NotifiedIncident[],
): Promise<IncidentsView> {
  const settings = await loadSettings(
    trx,
    log,
    incidents.map(({ target }) => target),
  );
  const channels = await loadChannels(trx, readerOf);
  const graph = await loadGraph(trx, incidents);
  const told = await loadNotifiedMoments(
    trx,
    incidents.map(({ id }) => id),
  );
  const nowMs = clock.now();
  const policies = new Map<string, AlertPolicy>();
  const policyFor = ({ target }: NotifiedIncident): AlertPolicy => {
    const key = targetKey(target);
    const policy = policies.get(key) ?? policyOf(settings.of(target));
    policies.set(key, policy);
    return policy;
  };
  return {
    channels,
    log,
    nowMs,
    policyOf: policyFor,
    question: (incident) => ({
      kind: incident.kind,
      maintenanceUntilMs: maintenanceUntil(maintenance, incident.target, nowMs),
      policy: policyFor(incident),
      channels,
      told: told.get(incident.id) ?? new Map(),
      nowMs,
    }),
    parentOf: ({ id }) => graph.holderOf(id)?.incidentId ?? null,
    factsOf: (incident, name, reminder = 0) =>
      alertFactsOf(incident, {
        name,
        reminder,
        dependents: dependentsOf(graph, incident.id),
        atMs: nowMs,
        timeZone: policyFor(incident).quietHours?.timeZone,
      }),
  };
}

/** When the maintenance of a target that runs at an instant ends, whole milliseconds; null: none runs. */
export function maintenanceUntil(
  maintenance: DecisionContext["maintenance"],
  { type, id }: { type: TargetType; id: number },
  atMs: number,
): number | null {
  const span = maintenance.at(type, id, atMs);
  return span === undefined ? null : Math.ceil(span.toMs);
}

const readType = oneOf(channelTypeNames, "type of channel");

async function loadChannels(db: Database, readerOf: DecisionContext["readerOf"]): Promise<Map<number, Recipient>> {
  const rows = await db("channels").select<{ id: number; name: string; type: string; enabled: boolean }[]>(
    "id",
    "name",
    "type",
    "enabled",
  );
  return new Map(
    rows.map(({ id, name, type: text, enabled: isEnabled }) => {
      const type = readType(text);
      return [id, { id, name, type, isEnabled, reader: readerOf(type) }];
    }),
  );
}
