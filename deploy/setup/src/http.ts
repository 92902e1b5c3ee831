import { request as overHttp } from "node:http";
import { request as overHttps } from "node:https";

type Sent = {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  headers: Readonly<Record<string, string>>;
  body?: object | undefined;
  /** Of the body: JSON unless it is given. */
  contentType?: string;
  /** An authority to trust, PEM. */
  ca?: string;
};
export type ReceivedResponse = { status: number; text: string };

const limitMs = 30_000;
const maxBytes = 4 * 1024 * 1024;

/**
 * Sends a request and reads the whole answer. Not by fetch, which can neither trust an authority for one request nor
 * name another host.
 * @throws Error if there is no whole answer in time
 */
export function send(address: URL, { method, headers, body, contentType, ca }: Sent): Promise<ReceivedResponse> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const ofBody = text === undefined ? {} : { "Content-Type": contentType ?? "application/json" };
  const signal = AbortSignal.timeout(limitMs);
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: { "User-Agent": "sonde-setup", ...ofBody, ...headers },
      ca,
      agent: false,
      signal,
    };
    const request = (address.protocol === "https:" ? overHttps : overHttp)(address, options, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxBytes) request.destroy(new Error("its answer is too large"));
        else parts.push(part);
      });
      response.once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") }),
      );
    });
    request.once("error", (fault) =>
      reject(signal.aborted ? new Error(`no answer within ${limitMs / 1000} s`, { cause: fault }) : fault),
    );
    request.end(text);
  });
}
