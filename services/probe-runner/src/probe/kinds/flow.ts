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
import { requestFollowingRedirects, type RequestResult, expectedOf } from "../http/ask.ts";
import { type Cookies, createCookies } from "../http/cookies.ts";
import type { TargetResponse } from "../http/exchange.ts";
import { noTimings } from "../http/fetch.ts";
import { compileHttp, type HttpTarget } from "../http/target.ts";
import { coverOf, secretFinder, shortestMasked } from "../masks.ts";
import { outcomeOf } from "../outcome.ts";
import type { AnyTarget, ProbeFailure, Probe, ProbeContext, ProbeOutcome } from "../probe.ts";
import { utf8Of } from "../texts.ts";

interface Step {
  name: string | undefined;
  request: HttpTarget;
  body: { text: string; write(value: string): string } | undefined;
  hasPlaceholders: boolean;
  extract: readonly Extraction[];
}

export interface FlowTarget extends AnyTarget<"flow"> {
  steps: readonly Step[];
  headers: readonly Header[];
  holdsSecret(value: string): boolean;
}

export const probe: Probe<"flow", FlowTarget> = { compile: compileFlow, run: probeFlow };

const maxValueBytes = 4 * 1024;
const maxBytesOfAll = 64 * 1024;
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

function writerFor(headers: readonly Header[]): (value: string) => string {
  const type = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value.toLowerCase() ?? "";
  if (/[/+]json\b/.test(type)) return (value) => JSON.stringify(value).slice(1, -1);
  if (type.startsWith("application/x-www-form-urlencoded")) return encodeURIComponent;
  return (value) => value;
}

type Values = Map<string, string>;

async function probeFlow(target: FlowTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const startedMs = ctx.clock.elapsedMs();
  const timings = noTimings();
  const values: Values = new Map();
  const cookies = createCookies(() => ctx.clock.now());
  const steps: NonNullable<StoredEvidence["steps"]> = [];
  const facts: { statusCode?: number; certificateExpiresAtMs?: number } = {};
  const sent: Header[] = [...target.headers];
  // Includes values that were replaced later.
  const extractedValues = new Set<string>();
  const passwordsOf = () => [
    ...[...extractedValues].filter(({ length }) => length >= shortestMasked),
    ...cookies.secrets(),
  ];
  const assertions = target.steps.flatMap((each) => each.request.assertions);
  let last: Sighting = {};
  for (const [at, step] of target.steps.entries()) {
    const seen: Sighting = {};
    last = seen;
    const request = filled(step, values);
    const result =
      "destination" in request
        ? await requestFollowingRedirects(request, ctx, timings, seen, cookies)
        : unsent(request);
    const { answer, tookMs, certificateExpiresAtMs = Infinity } = result;
    const soonestMs = Math.min(certificateExpiresAtMs, facts.certificateExpiresAtMs ?? Infinity);
    if (soonestMs < Infinity) facts.certificateExpiresAtMs = soonestMs;
    if (answer !== undefined) facts.statusCode = answer.statusCode;
    steps.push({ name: step.name, status: answer?.statusCode, ms: Math.round(tookMs * 10) / 10 });
    if ("destination" in request) sent.push(...request.headers);
    const failure =
      result.failure ?? (answer && (await take(step.extract, answer, cookies, values, target, ctx.judging)));
    for (const value of values.values()) extractedValues.add(value);
    if (failure === undefined) continue;

    timings.total = ctx.clock.elapsedMs() - startedMs;
    const passwords = passwordsOf();
    const outcome = outcomeOf(
      withStepName(failure, at, step, answer, passwords),
      { timings, ...facts },
      seen,
      (kind) => {
        return { headers: sent, assertions, passwords, expected: result.failure && expectedOf(step.request, kind) };
      },
    );
    if (outcome.status === "none" || outcome.evidence === undefined) return outcome;
    const { evidence } = outcome;
    return { ...outcome, evidence: (how) => ({ ...evidence(how), steps }) };
  }
  timings.total = ctx.clock.elapsedMs() - startedMs;
  return outcomeOf(undefined, { timings, ...facts }, last, () => ({
    headers: sent,
    assertions,
    passwords: passwordsOf(),
  }));
}

const unsent = (failure: ProbeFailure): RequestResult => ({
  failure,
  answer: undefined,
  tookMs: 0,
  certificateExpiresAtMs: undefined,
});

function withStepName(
  failure: ProbeFailure,
  at: number,
  step: Step,
  answer: TargetResponse | undefined,
  values: string[],
): ProbeFailure {
  if ("trouble" in failure) return failure;
  const cover = coverOf(values);
  // A quoted header may be truncated, and then a partial value would escape masking.
  const isQuoted = step.request.assertions.some(({ source, property = "" }) => {
    const value = source === "header" ? String(answer?.headers[property.toLowerCase()] ?? "") : "";
    return cover(value) !== value;
  });
  const message =
    isQuoted && failure.kind === "assertion" ? failure.message.replace(/, got .*$/s, "") : failure.message;
  const name = step.name === undefined ? "" : ` (${clipText(step.name, maxNameBytes)})`;
  return { ...failure, message: `Step ${at + 1}${name}: ${cover(message)}` };
}

/** Fills in a step's placeholders. The destination host never changes. */
function filled({ request, body, hasPlaceholders }: Step, values: Values): HttpTarget | ProbeFailure {
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

/** Extracts values for later steps. Fails if one is missing or contains one of the check's own secrets. */
async function take(
  extract: readonly Extraction[],
  { statusCode, headers, text, isCut }: TargetResponse,
  cookies: Cookies,
  values: Values,
  { holdsSecret }: FlowTarget,
  judging: ProbeContext["judging"],
): Promise<ProbeFailure | undefined> {
  if (extract.length === 0) return undefined;
  const failure = (message: string): ProbeFailure => ({ kind: "assertion", message });
  const requested = extract.filter(isOfBody);
  // Truncated JSON cannot be parsed.
  if (isCut === true && requested.some(({ source }) => source === "json")) return tooLarge;
  const found = requested.length === 0 ? [] : await judging.valuesOf(requested, text);
  if (!Array.isArray(found)) return typeof found === "string" ? failure(found) : found;
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
    if (value === undefined || value === "") return failure(`The response has no value for ${name}`);
    if (Buffer.byteLength(value) > maxValueBytes) return failure(`The value ${name} is larger than 4 KiB`);
    // Otherwise the editor of a later step could send the secret to their own server.
    if (holdsSecret(value)) return failure(`The value ${name} contains a secret of this check`);
    values.set(name, value);
  }
  const bytes = [...values.values()].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  return bytes > maxBytesOfAll ? failure("The extracted values in total are larger than 64 KiB") : undefined;
}

const tooLarge: ProbeFailure = { kind: "protocol", message: bodyTooLarge };

type OfBody = Extraction & { source: "json" | "body"; property: string };
const isOfBody = (one: Extraction): one is OfBody => one.source === "json" || one.source === "body";

function headerOf(headers: TargetResponse["headers"], property: string): string | undefined {
  const name = property.toLowerCase();
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return value === undefined ? undefined : utf8Of([value].flat().join(", "));
}
