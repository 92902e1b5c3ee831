import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@sonde/kit/bus/rpc";
import type { metricsContract } from "@sonde/proto/rpc/metrics";
import type { AlertFacts } from "../alerts/incident.ts";

/** What the target answered as an incident opened; undefined where that was not kept, or is not known now. */
export type EvidenceReader = (facts: AlertFacts) => Promise<string | undefined>;

const asked = /\{\{\s*evidenceBody\s*\}\}/;

/** Whether a template of a user, or the body of a channel, names what the target answered: no other message holds it. */
export const asksForEvidence = (texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => text !== undefined && asked.test(text));

const askMs = 2_000;
const againMs = 1_000;
/** An alert may be as quick as the result that metrics stores: it is asked for again. */
const tries = 3;

/** Reads evidence from metrics, within nine seconds: an alert is sent without it rather than late. */
export const evidenceReader =
  (metrics: Pick<Client<typeof metricsContract>, "incidentEvidence">): EvidenceReader =>
  async ({ target, incidentKind, openedAtMs, closedAtMs }) => {
    if (target.type !== "monitor" || incidentKind !== "down") return undefined;
    for (let left = tries; ; left -= 1) {
      const span = { monitorId: target.id, openedAtMs, closedAtMs };
      const found = await metrics.incidentEvidence(span, { timeoutMs: askMs }).catch(() => null);
      if (found?.evidence !== undefined || left === 1) return found?.evidence?.body;
      await sleep(againMs);
    }
  };
