import { createHash, createPublicKey, verify } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { TargetType } from "./monitors/targets.ts";
import type { ReportEvery } from "./reports.ts";

const countNames = ["expected", "seen", "up", "monitoredMinutes", "maintenanceMinutes", "pausedMinutes"] as const;
/** Figures per step of the period, oldest first, in lists of equal length. See `targetDays` in proto/rpc/metrics.ts. */
export type StepCounts = Record<(typeof countNames)[number], readonly number[]>;

export type ReportedTarget = {
  type: TargetType;
  id: number;
  name: string;
  counts: StepCounts;
  /** Slots of the previous period, if they are known. */
  before?: { seen: number; up: number } | undefined;
  incidents: number;
  longestMinutes: number;
};

/** Data embedded in a report's document. */
export type ReportData = {
  name: string;
  period: string;
  every: ReportEvery;
  timeZone: string;
  language: string;
  from: string;
  until: string;
  createdAt: string;
  /** Days of the period, or months of a year. */
  steps: readonly string[];
  targets: readonly ReportedTarget[];
  /** The longest incidents, in the order in which they opened. `until`: absent if it was open when the report was made. */
  incidents: readonly { name: string; cause: string; from: string; until?: string | undefined; minutes: number }[];
  /** Matching targets that the report leaves out, because there are too many. */
  omitted: number;
  /** Last hash of the previous report; zeros for the first one. */
  previous: string;
  hashes: readonly string[];
  /** SubjectPublicKeyInfo (RFC 8410) in base64. */
  publicKey: string;
};

export const firstHash = "0".repeat(64);

/** Each hash covers the one before it and the counts of its step. */
export function chainOf({ previous, steps, targets }: Pick<ReportData, "previous" | "steps" | "targets">): string[] {
  let hash = previous;
  return steps.map((step, at) => {
    const counts = targets.map(
      (target) => `${target.type}:${target.id} ${countNames.map((name) => target.counts[name][at]).join(" ")}\n`,
    );
    return (hash = createHash("sha256")
      .update(`${hash}\n${step}\n${counts.join("")}`)
      .digest("hex"));
  });
}

export type ReportedFigures = Record<"seen" | "up" | "down" | "noData" | "maintenance", number>;

/** Slots, and minutes. Parts of a minute count as one. Pauses and maintenance count as neither down nor unknown. */
export function figuresOf(counts: StepCounts): ReportedFigures {
  const sum = { seen: 0, up: 0, down: 0, noData: 0, maintenance: 0 };
  for (const [at, expected] of counts.expected.entries()) {
    const [seen, up, maintenance] = [counts.seen[at]!, counts.up[at]!, counts.maintenanceMinutes[at]!];
    const active = Math.max(0, counts.monitoredMinutes[at]! - maintenance - counts.pausedMinutes[at]!);
    const due = Math.max(expected, seen);
    sum.seen += seen;
    sum.up += up;
    sum.maintenance += maintenance;
    sum.down += due === 0 ? 0 : (active * (seen - up)) / due;
    sum.noData += due === 0 ? active : (active * (due - seen)) / due;
  }
  const whole = (minutes: number) => Math.max(0, Math.ceil(minutes - 1e-6));
  return { ...sum, down: whole(sum.down), noData: whole(sum.noData) };
}

/** Thousandths of a percent, rounded down, so that only a whole is 100. */
const uptimeOf = ({ seen, up }: { seen: number; up: number }) =>
  seen <= 0 ? undefined : Math.floor((100_000 * up) / seen);
export const percentOf = (counts: { seen: number; up: number }): string => {
  const uptime = uptimeOf(counts);
  return uptime === undefined ? "–" : `${uptime / 1000}%`;
};

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text: string) =>
  text.replaceAll(/\s+/g, " ").replaceAll(/[&<>"]/g, (character) => entities[character]!);

/** The table row of a target in the document, in one line. */
export function rowOf(target: ReportedTarget): string {
  const figures = figuresOf(target.counts);
  const [now, before] = [uptimeOf(figures), target.before && uptimeOf(target.before)];
  const change = now === undefined || before === undefined ? undefined : (now - before) / 1000;
  const { down, noData, maintenance } = figures;
  const cells = [
    percentOf(figures),
    change === undefined ? "" : change > 0 ? `+${change}` : change,
    down,
    noData,
    maintenance,
  ];
  const all = [...cells, target.incidents, target.longestMinutes].map((cell) => `<td>${cell}`).join("");
  return `<tr id=${target.type}-${target.id}><th>${escape(target.name)}${all}<td>${stripOf(target.counts)}`;
}

/** Draws the steps that were not completely up; those with most slots failed take the full height. */
function stripOf(counts: StepCounts): string {
  const steps = counts.expected.length;
  if (steps === 1) return "";
  const paths = new Map<string, string>();
  const stateAt = (at: number) => {
    const [seen, failed] = [counts.seen[at]!, counts.seen[at]! - counts.up[at]!];
    if (seen > 0) return failed === 0 ? "" : failed < seen / 10 ? "p" : "d";
    return counts.monitoredMinutes[at]! > counts.maintenanceMinutes[at]! + counts.pausedMinutes[at]! ? "n" : "m";
  };
  for (let at = 0, end = 0; at < steps; at = end) {
    const state = stateAt(at);
    for (end = at + 1; end < steps && stateAt(end) === state; end++);
    const [top, width] = [state === "p" ? 15 : 0, 10 * (end - at)];
    if (state !== "") paths.set(state, `${paths.get(state) ?? ""}M${10 * at} ${top}h${width}v${30 - top}h-${width}z`);
  }
  const drawn = [...paths].map(([state, path]) => `<path class=${state} d="${path}"/>`).join("");
  return `<svg viewBox="0 0 ${10 * steps} 30">${drawn}</svg>`;
}

const [opening, closing] = ['<script type="application/json" id="report">', "</script>"];
const maxUnpacked = 64 * 1024 * 1024;

/** The element that contains the data. Targets are compressed, since a year of noisy counts would be a megabyte. */
export function packReport({ targets, ...rest }: ReportData): string {
  const packed = deflateRawSync(JSON.stringify(targets), { level: 9 }).toString("base64");
  return `${opening}${JSON.stringify({ version: 1, ...rest, targets: packed }).replaceAll("<", "\\u003c")}${closing}`;
}

/** @throws Error if the document contains no data */
export function unpackReport(document: string): ReportData {
  const from = document.indexOf(opening);
  const until = document.indexOf(closing, from);
  if (from < 0 || until < 0) throw new Error("it contains no data");
  const { version, targets, ...rest } = JSON.parse(document.slice(from + opening.length, until)) as ReportData &
    Record<"version" | "targets", unknown>;
  if (version !== 1 || typeof targets !== "string") throw new Error("its data has an unknown format");
  const unpacked = inflateRawSync(Buffer.from(targets, "base64"), { maxOutputLength: maxUnpacked }).toString();
  return { ...rest, targets: JSON.parse(unpacked) as ReportedTarget[] };
}

/** The last line of a document, which signs everything before it. */
export const signatureLine = (signature: Uint8Array): string =>
  `<!-- signature ${Buffer.from(signature).toString("hex")} -->\n`;
const signed = /^([\s\S]*)<!-- signature ([0-9a-f]{128}) -->\n$/;

/** SHA-256 of the key's SubjectPublicKeyInfo, in hex. */
export const fingerprintOf = (publicKey: string): string =>
  createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex");

export type ReportVerdict =
  | { problem: string; data?: undefined }
  | { data: ReportData; fingerprint: string; problem?: undefined };

/**
 * Checks the signature over all bytes, the hash chain, and that the visible figures are those of the data. Offline.
 * @param pem the installation's public key; without it, the document's own
 */
export function verifyReport(document: string, pem?: string): ReportVerdict {
  const [, content, signature] = signed.exec(document) ?? [];
  if (content === undefined || signature === undefined)
    return { problem: "It has no signature at its end, so it is not a report, or it was changed." };
  try {
    const data = unpackReport(content);
    const own = Buffer.from(data.publicKey, "base64");
    const key = pem === undefined ? createPublicKey({ key: own, format: "der", type: "spki" }) : createPublicKey(pem);
    if (!key.export({ format: "der", type: "spki" }).equals(own))
      return { problem: "It was signed with another key than the one given." };
    if (key.asymmetricKeyType !== "ed25519" || !verify(null, Buffer.from(content), key, Buffer.from(signature, "hex")))
      return { problem: "It was changed after it was signed: the signature does not match." };
    const broken = chainOf(data).findIndex((hash, at) => hash !== data.hashes[at]);
    if (broken >= 0 || data.hashes.length !== data.steps.length)
      return { problem: `The hash chain does not match the counts of ${data.steps[Math.max(broken, 0)]}.` };
    const rows = content.match(/^<tr id=.*$/gm) ?? [];
    const wrong = data.targets.findIndex((target, at) => rows[at] !== rowOf(target));
    if (wrong >= 0 || rows.length !== data.targets.length)
      return {
        problem: `The table does not show the counts of ${data.targets[Math.max(wrong, 0)]?.name ?? "its data"}.`,
      };
    return { data, fingerprint: fingerprintOf(data.publicKey) };
  } catch (error) {
    return { problem: `It cannot be read: ${(error as Error).message}.` };
  }
}
