import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@sonde/kit/bus/rpc";
import type { metricsContract } from "@sonde/proto/rpc/metrics";
import type { AlertFacts } from "../alerts/incident.ts";

/** Returns the response body from when the incident opened; undefined if not stored or unavailable. */
export type EvidenceReader = (facts: AlertFacts) => Promise<string | undefined>;

const placeholder = /\{\{\s*evidenceBody\s*\}\}/;

/** Whether a user's template or a channel's body uses the evidence. No other message contains it. */
export const usesEvidence = (texts: readonly (string | undefined)[]): boolean =>
  texts.some((text) => text !== undefined && placeholder.test(text));

const queryTimeoutMs = 2_000;
const againMs = 1_000;
/** Metrics may not have stored the result yet when the alert is sent, so the query is repeated. */
const tries = 3;

/** Reads evidence from metrics within nine seconds. Rather than delay an alert, it is sent without. */
export const evidenceReader =
  (metrics: Pick<Client<typeof metricsContract>, "incidentEvidence">): EvidenceReader =>
  async ({ target, incidentKind, openedAtMs, closedAtMs }) => {
    if (target.type !== "monitor" || incidentKind !== "down") return undefined;
    for (let left = tries; ; left -= 1) {
      const span = { monitorId: target.id, openedAtMs, closedAtMs };
      const found = await metrics.incidentEvidence(span, { timeoutMs: queryTimeoutMs }).catch(() => null);
      if (found?.evidence !== undefined || left === 1) return found?.evidence?.body;
      await sleep(againMs);
    }
  };
