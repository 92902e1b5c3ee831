import { unavailable } from "@sonde/kit/errors";
import { request as httpRequest } from "@sonde/kit/http/node-http";
import type { Agent, IncomingMessage } from "node:http";
import type { Context } from "../context.ts";

export type UpstreamResponse = { status: number; headers: [string, string][]; body: Buffer };

/** No other headers are forwarded. */
const requestHeaders = ["authorization", "content-type", "content-encoding", "accept-language", "user-agent"] as const;
const answerHeaders = [
  "content-type",
  "content-language",
  "cache-control",
  "retry-after",
  "allow",
  "www-authenticate",
] as const;

const silenceMs = 30_000;
const maxAnswerBytes = 2 ** 20;

/** @throws AppError unavailable */
export function forward(
  { req: incoming, res: outgoing, state }: Context,
  { target, body, agent }: { target: URL; body: Buffer; agent: Agent },
): Promise<UpstreamResponse> {
  const headers: Record<string, string> = {
    "content-length": String(body.length),
    "x-request-id": state.requestId,
    "x-forwarded-for": state.address,
  };
  for (const name of requestHeaders) {
    const value = incoming.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(unavailable("agent-ingest", cause));
    const asked = httpRequest(target, { method: "POST", headers, agent, timeout: silenceMs });
    asked.on("response", (answer) => void readAnswer(answer).then(resolve, fail));
    asked.on("timeout", () => asked.destroy(new Error("agent-ingest timed out")));
    asked.on("error", fail);
    // A disconnected client needs no response, and no connection to agent-ingest.
    outgoing.once("close", () => asked.destroy());
    asked.end(body);
  });
}

async function readAnswer(answer: IncomingMessage): Promise<UpstreamResponse> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxAnswerBytes) throw new Error("agent-ingest's response is too large");
    chunks.push(chunk);
  }
  const headers = answerHeaders.flatMap((name): [string, string][] => {
    const value = answer.headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return { status: answer.statusCode ?? 502, headers, body: Buffer.concat(chunks) };
}
