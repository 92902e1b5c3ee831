import about from "../../package.json" with { type: "json" };
import { request as httpRequest } from "@sonde/kit/http/node-http";
import { registeredRunner, runnerPath, runnerProtocol, runnerSettings } from "@sonde/proto/http/monitors/runners";
import { request as httpsRequest } from "node:https";
import type { z } from "zod";
import type { RemoteConfig } from "./config.ts";
import { tunnelAgent, proxyFor } from "./tunnel.ts";

export type RunnerSettings = z.infer<typeof runnerSettings>;

/** Sonde rejected the request, for good unless it is `temporary`. `message` is Sonde's own sentence. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
  get temporary(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

const timeoutMs = 15_000;
const maxAnswerBytes = 64 * 1024;
const program = { version: about.version, protocol: runnerProtocol };

/** @throws RefusedError; Error if Sonde cannot be reached */
export const register = async ({ url, name }: RemoteConfig, token: string) =>
  registeredRunner.parse(await post(url, "register", { token, name, ...program }));

/** Returns the settings of a registered runner. @throws RefusedError; Error if Sonde cannot be reached */
export const readSettings = async ({ url }: RemoteConfig, key: string): Promise<RunnerSettings> =>
  runnerSettings.parse(await post(url, "start", program, key));

async function post(base: string, path: string, body: object, key?: string): Promise<unknown> {
  const url = new URL(`${base}${runnerPath}/${path}`);
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": `sonde-runner/${about.version}`,
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
  };
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const agent = tunnelAgent(url, proxyFor(url, process.env));
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = send(url, { method: "POST", headers, agent, signal: AbortSignal.timeout(timeoutMs) });
    asked.once("error", reject);
    asked.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        if (text.length > maxAnswerBytes) response.destroy(new Error("the response is too large"));
      });
      response.once("error", reject);
      response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.end(JSON.stringify(body));
  });
  return read(answer, base);
}

function read({ status, text }: { status: number; text: string }, base: string): unknown {
  let body: { success?: unknown; message?: unknown } | undefined;
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    throw new Error(`${base} does not respond like Sonde (status ${status}): check SONDE_URL`);
  }
  if (status < 300 && body?.success === true) return body;
  throw new RefusedError(typeof body?.message === "string" ? body.message : `status ${status}`, status);
}
