import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChannelConfig, ChannelTypeName } from "@sonde/proto/http/notifications/channel-types";

/** A request as the provider read it. */
export type ReceivedRequest = {
  /** Epoch ms. */
  atMs: number;
  method: string;
  /** Path and query, as it was sent. */
  path: string;
  query: URLSearchParams;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
  /** The body, where it is JSON; else undefined. */
  json: unknown;
};

/** The provider's response. A body that is not text is sent as JSON. */
export type StandInResponse = { status: number; headers?: Readonly<Record<string, string>>; body?: unknown };

/**
 * What happens to the next request instead of the provider's rules:
 * - an answer, or a named one of the provider's (`throttle` is in each);
 * - `hang`: it is read, and never answered;
 * - `garbage`: 200 with a page of HTML, as from a proxy;
 * - `reset`: the connection is closed before the request is read;
 * - `drop`: it is handled as always, and the connection is closed instead of the answer.
 */
export type Scripted<Named extends string = string> =
  | StandInResponse
  | Named
  | "throttle"
  | "hang"
  | "garbage"
  | "reset"
  | "drop";

/** How a provider answers, by its own rules. */
export type Rules<Type extends ChannelTypeName, Named extends string> = {
  type: Type;
  /** The configuration of a channel that sends to this address. */
  config(url: string): ChannelConfig<Type>;
  /**
   * What a request is answered; `accept` notes that it was taken as a message that people see. The same request twice is
   * to be accepted twice, unless the provider knows requests again.
   */
  answer(request: ReceivedRequest, accept: () => void): StandInResponse;
  throttle: StandInResponse;
  /** Answers that a test may ask for by name. */
  named?: Readonly<Record<Named, StandInResponse>>;
  /** What it counts, and its limit, if the test enables limits. */
  limits?: readonly { key(request: ReceivedRequest): string; requests: number; perMs: number }[];
};

/** A provider on this machine, for tests and benchmarks. */
export type StandIn<Type extends ChannelTypeName = ChannelTypeName, Named extends string = string> = {
  type: Type;
  /** `http://127.0.0.1:<port>`, or of a mail server its host and port. */
  url: string;
  /** Of a channel that sends here. */
  config: ChannelConfig<Type>;
  /** All that was read whole, in order. */
  requests: ReceivedRequest[];
  /** Those among them that were taken. */
  accepted: ReceivedRequest[];
  /** What becomes of the next requests, one each; then the provider's rules hold again. */
  answerNext(...answers: Scripted<Named>[]): void;
  /** The request that comes next, once it was read. */
  next(): Promise<ReceivedRequest>;
  stop(): Promise<void>;
};

/** `mindLimits`: requests beyond the provider's limits are throttled, as the provider does. */
export type StandInOptions = { mindLimits?: boolean };

/** Starts a provider that speaks HTTP on a free port of loopback. */
export async function startHttpStandIn<Type extends ChannelTypeName, Named extends string = never>(
  rules: Rules<Type, Named>,
  { mindLimits = false }: StandInOptions = {},
): Promise<StandIn<Type, Named>> {
  const requests: ReceivedRequest[] = [];
  const accepted: ReceivedRequest[] = [];
  const script: Scripted<Named>[] = [];
  const waiting: ((request: ReceivedRequest) => void)[] = [];
  const isOverLimit = mindLimits ? countLimits(rules.limits ?? []) : () => false;

  const server = createServer((request, response) => {
    const scripted = script.shift();
    if (scripted === "reset") return void request.socket.destroy();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const received = readRequest(request, Buffer.concat(chunks).toString());
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

/** A response of a proxy before a provider. */
export const garbage: StandInResponse = {
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<!doctype html><html><body><h1>Welcome to nginx!</h1></body></html>",
};

function readRequest(request: IncomingMessage, text: string): ReceivedRequest {
  const path = request.url ?? "/";
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    atMs: Date.now(),
    method: request.method ?? "",
    path,
    query: new URL(path, "http://stand-in").searchParams,
    headers: Object.fromEntries(headers),
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

/** Counts requests in exact sliding windows; a refused one counts as well. */
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
