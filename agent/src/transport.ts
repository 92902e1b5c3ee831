import { promisify } from "node:util";
import { encodeReport, type ReportedHost } from "./encode.ts";
import type { AgentResponse, HttpClient } from "./http-client.ts";

/** `later`: nothing was accepted; `afterMs` is the pause that the server requested. */
export type ReportOutcome =
  | {
      kind: "accepted";
      accepted: number;
      rejected: string[];
      serverTimeMs?: number;
      intervalSeconds?: number;
      resendHost: boolean;
    }
  | { kind: "refused"; reason: string }
  | { kind: "too large"; reason: string }
  | { kind: "invalid"; reason: string }
  | { kind: "later"; reason: string; afterMs?: number };

const maxWaitMs = 3_600_000;

/** Loaded with the first backlog, to save memory. */
async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import("node:zlib");
  return promisify(gzip)(bytes, { level: 1, memLevel: 4 });
}

/** Parses seconds or a date, RFC 9110 §10.2.3. Returns milliseconds from now, at most an hour. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.min(maxWaitMs, Math.max(0, seconds * 1000)) : undefined;
}

function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Only responses from Sonde are final: a proxy's page with the same status means retry later. */
export function readOutcome(answer: AgentResponse, nowMs: number): ReportOutcome {
  const body = parseObject(answer.body);
  const message = typeof body.message === "string" ? body.message : `the server responded with ${answer.status}`;
  const isSonde = typeof body.success === "boolean";
  const afterMs = retryAfterMs(answer.headers["retry-after"], nowMs);
  if (answer.status === 200 || answer.status === 202) {
    if (body.success !== true) return { kind: "later", reason: "the response is not from a Sonde server", afterMs };
    const rejected = Array.isArray(body.rejected) ? body.rejected.map((entry) => JSON.stringify(entry)) : [];
    const serverTimeMs = typeof body.serverTime === "string" ? Date.parse(body.serverTime) : Number.NaN;
    const { accepted, interval } = body;
    return {
      kind: "accepted",
      accepted: typeof accepted === "number" ? accepted : 0,
      rejected,
      serverTimeMs: Number.isNaN(serverTimeMs) ? undefined : serverTimeMs,
      intervalSeconds: typeof interval === "number" && interval >= 1 && interval <= 3600 ? interval : undefined,
      resendHost: body.resendHost === true,
    };
  }
  if (answer.status === 401 && isSonde) return { kind: "refused", reason: message };
  if (answer.status === 413) return { kind: "too large", reason: message };
  if (answer.status === 400 && isSonde) return { kind: "invalid", reason: message };
  return { kind: "later", reason: message, afterMs };
}

export interface Report {
  key: string;
  samples: Uint8Array[];
  host?: ReportedHost;
  intervalSeconds: number;
  nowMs: () => number;
}

/** Never rejects. Compresses only a backlog: compressing every report would cost more memory than it saves traffic. */
export async function sendReport(client: HttpClient, report: Report): Promise<ReportOutcome> {
  const isBacklog = report.samples.length > 1;
  const plain = encodeReport(report.samples, report.nowMs(), report.intervalSeconds, report.host);
  const headers: Record<string, string> = {
    authorization: `Bearer ${report.key}`,
    "content-type": "application/x-protobuf",
  };
  if (isBacklog) headers["content-encoding"] = "gzip";
  try {
    const body = isBacklog ? await compress(plain) : plain;
    const answer = await client.send({ method: "POST", path: "/agent/v1/report", headers, body });
    return readOutcome(answer, report.nowMs());
  } catch (error) {
    return { kind: "later", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Exponential from one second to five minutes, with jitter down to half so that a fleet spreads out. */
export function backoffMs(failures: number, random: () => number): number {
  const ceiling = Math.min(300_000, 1000 * 2 ** Math.min(failures - 1, 20));
  return ceiling * (0.5 + random() / 2);
}
