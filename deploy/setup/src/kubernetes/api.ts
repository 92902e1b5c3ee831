import { request } from "node:https";
import type { ServiceAccount } from "./service-account.ts";

export type Answer = { status: number; body: unknown };

/** What is asked of the API server. A patch is a JSON merge patch (RFC 7386). */
export type Question = { method: "GET" | "POST" | "PATCH"; path: string; body?: object };

const limitMs = 15_000;
const maxAnswerBytes = 4 * 1024 * 1024;

/** Asks the API server once. @throws Error where it gives no whole answer in time */
export async function ask(account: ServiceAccount, { method, path, body }: Question): Promise<Answer> {
  const { host, port, ca } = account;
  const token = await account.token();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: "application/json",
    "User-Agent": "sonde-setup",
    ...(text === undefined
      ? {}
      : {
          "Content-Type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
          "Content-Length": Buffer.byteLength(text),
        }),
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs);
    const asking = request({ host, port, path, method, ca, headers, agent: false, signal }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxAnswerBytes) asking.destroy(new Error("its answer is too large"));
        else parts.push(part);
      });
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body: read(Buffer.concat(parts)) }));
    });
    asking.once("error", (fault) =>
      reject(signal.aborted ? new Error(`no answer within ${limitMs / 1000} s`, { cause: fault }) : fault),
    );
    asking.end(text);
  });
}

function read(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return bytes.toString("utf8").slice(0, 300); // A proxy in between may answer in its own words.
  }
}
