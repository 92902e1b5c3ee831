import { AsyncLocalStorage } from "node:async_hooks";

// Nothing of OpenTelemetry is imported here: it costs memory, and is loaded only where an endpoint is set.

export type SpanKind = "server" | "client" | "producer" | "consumer";

export type SpanStart = {
  name: string;
  kind: SpanKind;
  /** Templates, names and counts; never an address, a query, a header or a body. */
  attributes?: Readonly<Record<string, string | number>>;
  /** The caller's, from another process; without it the span that runs around this one is the parent. */
  traceparent?: string | undefined;
  /** The traceparents of the causes of this span, if there are several. */
  links?: readonly string[];
};

export type OpenSpan = {
  /** W3C Trace Context, for outgoing calls. */
  readonly traceparent: string;
  rename(name: string): void;
  set(attributes: Readonly<Record<string, string | number>>): void;
  /** It ended with this code of an AppError; see `isFault`. */
  refuse(code: string): void;
};

/** Whether Sonde itself failed; every other code is a refusal, and the answer that was due. */
export const isFault = (code: string): boolean => code === "internal" || code === "unavailable";

/** Traces what one service does. */
export type Spans = {
  /** Runs work within a span of its own, which ends with it. A rejection marks the span and is rethrown. */
  run<Result>(start: SpanStart, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /** Hands over what ended, then ends; what the collector does not take within seconds is lost. */
  stop(): Promise<void>;
};

export type ActiveSpan = { traceId: string; spanId: string; traceparent: string };

/** The span that runs around the present turn; `telemetry/otlp.ts` alone enters it. */
export const activeSpan = new AsyncLocalStorage<ActiveSpan>();

/** Whether an OTLP endpoint is set. */
export const isTracing = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  Boolean(environment["OTEL_EXPORTER_OTLP_ENDPOINT"]);

/** The fields of a log line that name its trace. */
export function traceFields(): { traceId: string; spanId: string } | Record<string, never> {
  const span = activeSpan.getStore();
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
}
