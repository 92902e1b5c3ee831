import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Received = { method: string; path: string; key: string | undefined; body: string };
type Respond = (received: Received) => { status?: number; body: unknown; headers?: Record<string, string> };

/** Runs a substitute for Sonde's API until the end of a test, with responses by method and path without query. */
export async function standIn(answers: Record<string, Respond | object>) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const key = headers.authorization?.replace("Bearer ", "");
      const one = { method, path, key, body: Buffer.concat(chunks).toString("utf8") };
      received.push(one);
      const given = answers[`${method} ${path.split("?")[0]}`];
      const answer = typeof given === "function" ? (given as Respond)(one) : { body: given };
      const status = answer.status ?? (answer.body === undefined ? 404 : 200);
      const isBytes = answer.body instanceof Uint8Array;
      response.writeHead(status, {
        "Content-Type": isBytes ? "text/javascript" : "application/json",
        ...answer.headers,
      });
      response.end(
        isBytes ? answer.body : typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {}),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  onTestFinished(async () => void (await stop()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, stop };
}

export const plan = (given: object = {}) => ({ create: [], update: [], remove: [], same: [], conflicts: [], ...given });
export const applied = (given: object = {}) => ({ success: true, generation: 3, plan: plan(given) });
export const refusal = (
  status: number,
  code: string,
  message: string,
  errors?: { path: string; message: string }[],
) => ({
  status,
  body: { success: false, code, message, ...(errors && { errors }) },
});
