import { AsyncLocalStorage } from "node:async_hooks";

// Do not import OpenTelemetry here: it costs memory and is loaded only if an endpoint is set.

export type SpanKind = "server" | "client" | "producer" | "consumer";

export type SpanStart = {
  name: string;
  kind: SpanKind;
  /** Templates, names and counts; never an address, a query, a header or a body. */
  attributes?: Readonly<Record<string, string | number>>;
  /** Defaults to the active span. */
  traceparent?: string | undefined;
  /** Traceparents of several causes. */
  links?: readonly string[];
};

export type OpenSpan = {
  /** W3C Trace Context, for outgoing calls. */
  readonly traceparent: string;
  rename(name: string): void;
  set(attributes: Readonly<Record<string, string | number>>): void;
  /** See `isFailure`. */
  refuse(code: string): void;
};

/** All other codes are expected refusals. */
export const isFailure = (code: string): boolean => code === "internal" || code === "unavailable";

export type Spans = {
  /** A rejection marks the span and is rethrown. */
  run<Result>(start: SpanStart, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /** Spans that the collector does not accept within seconds are lost. */
  stop(): Promise<void>;
};

export type ActiveSpan = { traceId: string; spanId: string; traceparent: string };

/** Only `telemetry/otlp.ts` sets it. */
export const activeSpan = new AsyncLocalStorage<ActiveSpan>();

export const isTracing = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  Boolean(environment["OTEL_EXPORTER_OTLP_ENDPOINT"]);

export function traceFields(): { traceId: string; spanId: string } | Record<string, never> {
  const span = activeSpan.getStore();
  return span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId };
}
