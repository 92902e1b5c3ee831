import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number };
type Attribute = { key: string; value: Value };
type WireSpan = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Attribute[];
  links?: { traceId: string; spanId: string }[];
  status: { code?: number };
};
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: WireSpan[] }[] }[];
};

export type ReceivedSpan = Omit<WireSpan, "attributes"> & {
  service: string;
  attributes: Record<string, string | number | undefined>;
};

/** A test collector for OTLP/HTTP in JSON at /v1/traces. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method !== "POST" || request.url !== "/v1/traces") return void response.writeHead(404).end();
      const bytes = Buffer.concat(chunks);
      const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
      texts.push(text);
      spans.push(...readExport(JSON.parse(text) as Export));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => texts.join("\n"),
    find: (service: string, name: string) => spans.filter((span) => span.service === service && span.name === name),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;

function readExport({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)["service.name"]);
    const all = scopeSpans.flatMap(({ spans }) => spans);
    return all.map((span) => ({ ...span, service, attributes: readAttributes(span.attributes) }));
  });
}

function readAttributes(attributes: readonly Attribute[]): ReceivedSpan["attributes"] {
  const read = ({ stringValue, intValue, doubleValue }: Value) =>
    stringValue ?? (intValue === undefined ? doubleValue : Number(intValue));
  return Object.fromEntries(attributes.map(({ key, value }) => [key, read(value)]));
}
