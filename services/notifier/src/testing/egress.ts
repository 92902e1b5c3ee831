import { request as httpRequest } from "node:http";
import { type OutgoingRequests, EgressError, type HttpAnswer, type HttpRequest } from "@sonde/kit/egress/requests";

/** Sends over plain HTTP without the egress guard. */
export const testEgress: OutgoingRequests = {
  request: send,
  addressOf: (host) => Promise.resolve(host === "localhost" ? "127.0.0.1" : host),
};

function send({ method, url, headers, body, signal }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, signal, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        const names = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
        const text = Buffer.concat(chunks).toString();
        resolve({ statusCode: response.statusCode ?? 0, headers: Object.fromEntries(names), text });
      });
    });
    const fail = (error: Error) => {
      const kind = signal.aborted ? "timeout" : "connect";
      reject(new EgressError(kind, `${new URL(url).hostname}: ${error.message}`));
    };
    request.on("error", fail);
    request.end(body);
  });
}
