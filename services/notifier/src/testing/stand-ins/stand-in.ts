import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChannelConfig, ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";

export type ReceivedRequest = {
  /** Epoch milliseconds. */
  atMs: number;
  method: string;
  /** Path and query, as sent. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
  text: string;
  json: unknown;
};

/** A body that is not a string is sent as JSON. */
export type StandInResponse = { status: number; headers?: Readonly<Record<string, string>>; body?: unknown };

/**
 * What happens to the next request instead of the provider's rules:
 * - a response, or the name of one of the provider's (`throttle` exists for every provider);
 * - `hang`: it is read but gets no response;
 * - `garbage`: 200 with an HTML page, as from a proxy;
 * - `reset`: the connection is closed before the request is read;
 * - `drop`: it is handled as usual, but the connection is closed instead of responding.
 */
export type Scripted<Named extends string = string> =
  | StandInResponse
  | Named
  | "throttle"
  | "hang"
  | "garbage"
  | "reset"
  | "drop";

export type Rules<Type extends ChannelTypeName, Named extends string> = {
  type: Type;
  config(url: string): ChannelConfig<Type>;
  /** `accept` records a visible message. Repeated requests are accepted again, unless deduplicated. */
  answer(request: ReceivedRequest, accept: () => void): StandInResponse;
  throttle: StandInResponse;
  named?: Readonly<Record<Named, StandInResponse>>;
  limits?: readonly { key(request: ReceivedRequest): string; requests: number; perMs: number }[];
};

/** A local provider for tests and benchmarks. */
export type StandIn<Type extends ChannelTypeName = ChannelTypeName, Named extends string = string> = {
  type: Type;
  /** `http://127.0.0.1:<port>`, or host and port of a mail server. */
  url: string;
  config: ChannelConfig<Type>;
  /** Completely read requests, in order. */
  requests: ReceivedRequest[];
  accepted: ReceivedRequest[];
  /** Scripts the next responses; after them the provider's rules apply again. */
  answerNext(...answers: Scripted<Named>[]): void;
  next(): Promise<ReceivedRequest>;
  stop(): Promise<void>;
};

/** `enforceLimits`: throttles beyond the provider's rate limits. */
export type StandInOptions = { enforceLimits?: boolean };

export async function startHttpStandIn<Type extends ChannelTypeName, Named extends string = never>(
  rules: Rules<Type, Named>,
  { enforceLimits = false }: StandInOptions = {},
): Promise<StandIn<Type, Named>> {
  const requests: ReceivedRequest[] = [];
  const accepted: ReceivedRequest[] = [];
  const script: Scripted<Named>[] = [];
  const waiting: ((request: ReceivedRequest) => void)[] = [];
  const isOverLimit = enforceLimits ? countLimits(rules.limits ?? []) : () => false;

  const server = createServer((request, response) => {
    const scripted = script.shift();
    if (scripted === "reset") return void request.socket.destroy();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const received = readRequest(request, Buffer.concat(chunks));
      requests.push(received);
      for (const resolve of waiting.splice(0)) resolve(received);
      carryOut(received, scripted, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function carryOut(received: ReceivedRequest, scripted: Scripted<Named> | undefined, response: ServerResponse): void {
    if (scripted === "hang") return;
    if (scripted === undefined || scripted === "drop") {
      const byRules = () => rules.answer(received, () => accepted.push(received));
      const answer = isOverLimit(received) ? rules.throttle : byRules();
      return scripted === "drop" ? void response.socket?.destroy() : send(response, answer);
    }
    send(response, answerOf(scripted));
  }

  function answerOf(scripted: Scripted<Named>): StandInResponse {
    if (typeof scripted === "object") return scripted;
    if (scripted === "garbage") return garbage;
    if (scripted === "throttle") return rules.throttle;
    const answer = rules.named?.[scripted as Named];
    if (answer === undefined) throw new Error(`${rules.type} has no answer named ${scripted}`);
    return answer;
  }

  return {
    type: rules.type,
    url,
    config: rules.config(url),
    requests,
    accepted,
    answerNext: (...answers) => void script.push(...answers),
    next: () => new Promise((resolve) => waiting.push(resolve)),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Response of a proxy in front of a provider. */
export const garbage: StandInResponse = {
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<!doctype html><html><body><h1>Welcome to nginx!</h1></body></html>",
};

function readRequest(request: IncomingMessage, bytes: Buffer): ReceivedRequest {
  const text = bytes.toString();
  const path = request.url ?? "/";
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    atMs: Date.now(),
    method: request.method ?? "",
    path,
    query: new URL(path, "http://stand-in").searchParams,
    headers: Object.fromEntries(headers),
    bytes,
    text,
    json: parseJson(text),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status, headers, body }: StandInResponse): void {
  const isText = typeof body === "string" || body === undefined;
  const type = isText ? "text/plain; charset=utf-8" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

/** Counts requests in exact sliding windows, including refused ones. */
function countLimits(limits: NonNullable<Rules<ChannelTypeName, string>["limits"]>) {
  const seen = new Map<string, number[]>();
  return (request: ReceivedRequest): boolean => {
    const over = limits.map(({ key, requests, perMs }, index) => {
      const name = `${index} ${key(request)}`;
      const now = performance.now();
      const times = (seen.get(name) ?? []).filter((time) => time > now - perMs);
      seen.set(name, [...times, now]);
      return times.length >= requests;
    });
    return over.includes(true);
  };
}
