import { clipText } from "@sonde/kit/clip";
import type { StoredEvidence } from "@sonde/proto/http/incidents/evidence";
import {
  type Extraction,
  type ExtractSource,
  fillPlaceholders,
  type FlowStep,
  isPlaceholder,
} from "@sonde/proto/http/monitors/checks/flow";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { bodyTooLarge } from "../assertions.ts";
import type { Sighting } from "../evidence.ts";
import { requestFollowingRedirects, type Asked, expectedOf } from "../http/ask.ts";
import { type Cookies, createCookies } from "../http/cookies.ts";
import type { TargetResponse } from "../http/exchange.ts";
import { noTimings } from "../http/fetch.ts";
import { compileHttp, type HttpTarget } from "../http/target.ts";
import { coverOf, secretFinder, shortestMasked } from "../masks.ts";
import { outcomeOf } from "../outcome.ts";
import type { AnyTarget, Fault, Probe, ProbeContext, ProbeOutcome } from "../probe.ts";
import { utf8Of } from "../texts.ts";

interface Step {
  name: string | undefined;
  request: HttpTarget;
  /** The body with its placeholders, and how a value is written in it. */
  body: { text: string; write(value: string): string } | undefined;
  hasPlaceholders: boolean;
  extract: readonly Extraction[];
}

/** A flow, read once and ready to run many times. */
export interface FlowTarget extends AnyTarget<"flow"> {
  steps: readonly Step[];
  /** Of all steps, with their placeholders. */
  headers: readonly Header[];
  /** Whether a value holds one of their secrets. */
  holdsSecret(value: string): boolean;
}

export const probe: Probe<"flow", FlowTarget> = { compile: compileFlow, run: probeFlow };

const maxValueBytes = 4 * 1024;
const maxBytesOfAll = 64 * 1024;
/** Of a step's name in a cause, so that the rest fits. */
const maxNameBytes = 60;

function compileFlow({ steps, ...shared }: CheckOf<"flow">): FlowTarget {
  const compiled = steps.map((step) => compileStep(step, shared));
  const headers = compiled.flatMap(({ request }) => request.headers);
  const holdsSecret = secretFinder(headers.filter(({ value }) => !isPlaceholder(value)));
  return { kind: "flow", host: compiled[0]?.request.host ?? "", steps: compiled, headers, holdsSecret };
}

function compileStep(step: FlowStep, shared: Omit<CheckOf<"flow">, "type" | "steps">): Step {
  const { name, extract, body } = step;
  const request = compileHttp({ ...shared, ...step, type: "http" });
  const texts = [request.destination.path, body, ...step.headers.map(({ value }) => value)];
  return {
    name,
    request: { ...request, needsBody: request.needsBody || extract.some(isOfBody) },
    body: body === undefined ? undefined : { text: body, write: writerFor(step.headers) },
    hasPlaceholders: texts.some((text) => /\{\{|%7B%7B/.test(text ?? "")),
    extract,
  };
}

/** How a value is written in a body, by its content type. */
function writerFor(headers: readonly Header[]): (value: string) => string {
  const type = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value.toLowerCase() ?? "";
  if (/[/+]json\b/.test(type)) return (value) => JSON.stringify(value).slice(1, -1);
  if (type.startsWith("application/x-www-form-urlencoded")) return encodeURIComponent;
  return (value) => value;
}

type Values = Map<string, string>;

/** Runs the steps in their order, up to the first that fails. Never throws; any failure is the outcome. */
async function probeFlow(target: FlowTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const startedMs = ctx.clock.elapsedMs();
  const timings = noTimings();
  const values: Values = new Map();
  const cookies = createCookies(() => ctx.clock.now());
  const steps: NonNullable<StoredEvidence["steps"]> = [];
  const facts: { statusCode?: number; certificateExpiresAtMs?: number } = {};
  const sent: Header[] = [...target.headers];
  // Also those that were replaced since.
  const taken = new Set<string>();
  for (const [at, step] of target.steps.entries()) {
    const seen: Sighting = {};
    const request = filled(step, values);
    const asked =
      "destination" in request
        ? await requestFollowingRedirects(request, ctx, timings, seen, cookies)
        : unsent(request);
    const { answer, tookMs, certificateExpiresAtMs = Infinity } = asked;
    const soonestMs = Math.min(certificateExpiresAtMs, facts.certificateExpiresAtMs ?? Infinity);
    if (soonestMs < Infinity) facts.certificateExpiresAtMs = soonestMs;
    if (answer !== undefined) facts.statusCode = answer.statusCode;
    steps.push({ name: step.name, status: answer?.statusCode, ms: Math.round(tookMs * 10) / 10 });
    if ("destination" in request) sent.push(...request.headers);
    const fault = asked.fault ?? (answer && (await take(step.extract, answer, cookies, values, target, ctx.judging)));
    for (const value of values.values()) taken.add(value);
    if (fault === undefined) continue;

    timings.total = ctx.clock.elapsedMs() - startedMs;
    const passwords = [...[...taken].filter(({ length }) => length >= shortestMasked), ...cookies.secrets()];
    const assertions = target.steps.flatMap((each) => each.request.assertions);
    const outcome = outcomeOf(named(fault, at, step, answer, passwords), { timings, ...facts }, seen, (kind) => {
      return { headers: sent, assertions, passwords, expected: asked.fault && expectedOf(step.request, kind) };
    });
    if (outcome.status === "none" || outcome.evidence === undefined) return outcome;
    const { evidence } = outcome;
    return { ...outcome, evidence: (how) => ({ ...evidence(how), steps }) };
  }
  timings.total = ctx.clock.elapsedMs() - startedMs;
  return { status: "up", timings, ...facts };
}

const unsent = (fault: Fault): Asked => ({ fault, answer: undefined, tookMs: 0, certificateExpiresAtMs: undefined });

/** A fault that names its step, without what was extracted. */
function named(fault: Fault, at: number, step: Step, answer: TargetResponse | undefined, values: string[]): Fault {
  if ("trouble" in fault) return fault;
  const cover = coverOf(values);
  // A quoted header is cut off, and what is left of a value would not be known again.
  const isQuoted = step.request.assertions.some(({ source, property = "" }) => {
    const value = source === "header" ? String(answer?.headers[property.toLowerCase()] ?? "") : "";
    return cover(value) !== value;
  });
  const message = isQuoted && fault.kind === "assertion" ? fault.message.replace(/, got .*$/s, "") : fault.message;
  const name = step.name === undefined ? "" : ` (${clipText(step.name, maxNameBytes)})`;
  return { ...fault, message: `Step ${at + 1}${name}: ${cover(message)}` };
}

/** The request of a step with values in place of its placeholders. Where it is sent to stays the same. */
function filled({ request, body, hasPlaceholders }: Step, values: Values): HttpTarget | Fault {
  if (!hasPlaceholders) return request;
  const write = (text: string, how: (value: string) => string) =>
    fillPlaceholders(text, (name) => {
      const value = values.get(name);
      return value === undefined ? undefined : how(value);
    });
  let unfit: string | undefined;
  const headers = request.headers.map(({ name, value }) => ({
    name,
    value: fillPlaceholders(value, (given) => {
      const own = values.get(given);
      if (/[^\t\x20-\x7e\x80-\xff]/.test(own ?? "")) unfit = given;
      return own;
    }),
  }));
  if (unfit !== undefined) return { kind: "protocol", message: `The value ${unfit} cannot be sent in a header` };
  const path = request.destination.path.replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}");
  return {
    ...request,
    destination: { ...request.destination, path: write(path, (value) => encodeURIComponent(value.toWellFormed())) },
    headers,
    body: body && Buffer.from(write(body.text, body.write)),
  };
}

/** Takes values of an answer for later steps. A missing one is a fault, and so is a secret of ours that came back. */
async function take(
  extract: readonly Extraction[],
  { statusCode, headers, text, isCut }: TargetResponse,
  cookies: Cookies,
  values: Values,
  { holdsSecret }: FlowTarget,
  judging: ProbeContext["judging"],
): Promise<Fault | undefined> {
  if (extract.length === 0) return undefined;
  const fault = (message: string): Fault => ({ kind: "assertion", message });
  const wanted = extract.filter(isOfBody);
  // What was cut off is no JSON.
  if (isCut === true && wanted.some(({ source }) => source === "json")) return tooLarge;
  const found = wanted.length === 0 ? [] : await judging.valuesOf(wanted, text);
  if (!Array.isArray(found)) return typeof found === "string" ? fault(found) : found;
  const readers: Record<ExtractSource, (property: string) => string | undefined> = {
    json: () => found.shift(),
    body: () => found.shift(),
    status: () => String(statusCode),
    header: (property) => headerOf(headers, property),
    cookie: cookies.valueOf,
  };
  for (const { name, source, property = "" } of extract) {
    const value = readers[source](property);
    if (isCut === true && source === "body" && value === undefined) return tooLarge;
    if (value === undefined || value === "") return fault(`The answer has no value ${name}`);
    if (Buffer.byteLength(value) > maxValueBytes) return fault(`The value ${name} is larger than 4 KiB`);
    // Else an editor of a later step could have it sent to a server of their own.
    if (holdsSecret(value)) return fault(`The value ${name} holds a secret of the check`);
    values.set(name, value);
  }
  const bytes = [...values.values()].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  return bytes > maxBytesOfAll ? fault("The values together are larger than 64 KiB") : undefined;
}

const tooLarge: Fault = { kind: "protocol", message: bodyTooLarge };

type OfBody = Extraction & { source: "json" | "body"; property: string };
const isOfBody = (one: Extraction): one is OfBody => one.source === "json" || one.source === "body";

function headerOf(headers: TargetResponse["headers"], property: string): string | undefined {
  const name = property.toLowerCase();
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return value === undefined ? undefined : utf8Of([value].flat().join(", "));
}
