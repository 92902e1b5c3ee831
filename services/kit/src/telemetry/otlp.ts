import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { toAppError } from "../errors.ts";
import type { Logger as Log } from "pino";
import { activeSpan, isFailure, type OpenSpan, type SpanStart, type Spans } from "./spans.ts";

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;
const stopPatienceMs = 3000;

/** Endpoint, headers and limits come from OpenTelemetry's environment variables. */
export function otlpSpans(service: string, log: Log): Spans {
  const own = { "service.namespace": "sonde", "service.name": service };
  const detected = detectResources({ detectors: [envDetector, serviceInstanceIdDetector] });
  const provider = new TracerProvider({
    resource: defaultResource().merge(detected).merge(resourceFromAttributes(own)),
    spanProcessors: [new BatchSpanProcessor({ exporter: loggedExporter(new OTLPTraceExporter(), log) })],
  });
  const tracer = provider.getTracer("sonde");

  return {
    async run(start, work) {
      const links = (start.links ?? []).flatMap((text) => readTraceparent(text) ?? []);
      const span = tracer.startSpan(
        start.name,
        {
          kind: kinds[start.kind],
          links: links.map((context) => ({ context })),
          ...(start.attributes === undefined ? {} : { attributes: start.attributes as Attributes }),
        },
        parentOf(start),
      );
      const open = openSpan(span);
      const { traceId, spanId } = span.spanContext();
      try {
        return await activeSpan.run({ traceId, spanId, traceparent: open.traceparent }, () => work(open));
      } catch (thrown) {
        open.refuse(toAppError(thrown).code);
        throw thrown;
      } finally {
        span.end();
      }
    },
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, stopPatienceMs).unref());
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

function openSpan(span: Span): OpenSpan {
  return {
    traceparent: writeTraceparent(span.spanContext()),
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    refuse: (code) => {
      span.setAttribute("error.type", code);
      // Error messages may contain user input, so only the code is recorded.
      if (isFailure(code)) span.setStatus({ code: SpanStatusCode.ERROR });
    },
  };
}

function parentOf({ traceparent }: SpanStart): Context {
  const parent = readTraceparent(traceparent ?? activeSpan.getStore()?.traceparent ?? "");
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** `00-<trace id>-<span id>-<flags>` (W3C Trace Context, §3.2). */
export function readTraceparent(text: string): SpanContext | null {
  const parts = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(text);
  const [, traceId, spanId, flags] = parts ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`;

/** Logs an outage and its end once; spans in between are lost. */
export function loggedExporter(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !isFailing) log.warn({ err: result.error }, "exporting traces failed");
        else if (!failed && isFailing) log.info("exporting traces works again");
        isFailing = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush === undefined ? {} : { forceFlush: () => exporter.forceFlush!() }),
  };
}
